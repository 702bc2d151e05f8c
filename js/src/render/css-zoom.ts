/** How large the page around draws a view: JupyterLab's presentation mode enlarges it (style/presentation.css). Where
 * the browser tells of a pointer or an element it counts px of the window; a view counts its own. */

/** How many px of the window one of the element is. */
export const cssZoom = (element: Element): number => element.currentCSSZoom ?? 1;

/** Where in an element a place of the window is, such as the pointer, in the element's own px. */
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

/** How many px of the screen one of the element is: a canvas that has so many is sharp. */
export const pixelsOf = (element: Element): number => devicePixelRatio * cssZoom(element);

/** Gives a canvas as many px as it has on the screen, in a size of whole ones of them: in a box that ends within one,
 * what is drawn would be stretched, and text soft. Returns how many px of the screen one of its own is. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number): number {
  const ratio = pixelsOf(canvas);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  canvas.style.width = `${wide / ratio}px`;
  canvas.style.height = `${high / ratio}px`;
  return ratio;
}
