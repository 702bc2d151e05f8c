/** A long name that gives way in its middle, so that its end can be read. */
export function Middle({ text }: { text: string }) {
  const at = text.length > 12 ? text.length - 8 : text.length;
  return (
    <span class="jxv-middle" title={text}>
      <span>{text.slice(0, at)}</span>
      {at < text.length && <span>{text.slice(at)}</span>}
    </span>
  );
}
