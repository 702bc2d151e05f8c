/** A choice, as wide as what is chosen. */
interface Props<Value extends string> {
  label: string;
  value: Value;
  choices: readonly (readonly [value: Value, text: string])[];
  choose: (value: Value) => void;
}

export const Select = <Value extends string>(props: Props<Value>) => (
  <select
    class="jxv-select"
    aria-label={props.label}
    value={props.value}
    onChange={(event) => props.choose(event.currentTarget.value as Value)}
  >
    {props.choices.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);
