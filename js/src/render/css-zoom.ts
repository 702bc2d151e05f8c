/** Converts px of the window to px of a view. JupyterLab's presentation mode enlarges views (style/presentation.css):
 * the browser reports pointers and elements in px of the window, but a view counts its own. */

/** The px of the window per px of the element. */
export const cssZoom = (element: Element): number => element.currentCSSZoom ?? 1;

/** The position in an element, in its own px, of a point of the window, such as the pointer. */
export function pointIn(
  element: Element,
  { clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>,
): { x: number; y: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = cssZoom(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

/** The size of an element in its own px. */
export function sizeIn(element: Element): { width: number; height: number } {
  const { width, height } = element.getBoundingClientRect();
  const zoom = cssZoom(element);
  return { width: width / zoom, height: height / zoom };
}

/** The px of the screen per px of the element. A canvas with this resolution is sharp. */
export const pixelsOf = (element: Element): number => devicePixelRatio * cssZoom(element);

/** Gives a canvas one pixel per px of the screen and a size of whole screen px; otherwise the browser would stretch
 * it and blur text. Returns the screen px per px of the canvas. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number): number {
  const ratio = pixelsOf(canvas);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  canvas.style.width = `${wide / ratio}px`;
  canvas.style.height = `${high / ratio}px`;
  return ratio;
}
