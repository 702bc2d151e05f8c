/** A copy of the bytes of a message's buffer, in memory of its own. */
export function bytesOf(buffer: ArrayBufferLike | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer).slice();
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).slice();
}
