/** A long name that gives way in its middle, so that its end can be read. */
export function Middle({ text }: { text: string }) {
  const letters = [...text];
  const at = letters.length > 12 ? letters.length - 8 : letters.length;
  return (
    <span class="jxv-middle" title={text}>
      <span>{letters.slice(0, at).join('')}</span>
      {at < letters.length && <span>{letters.slice(at).join('')}</span>}
    </span>
  );
}
