/** The minimap of the graph. */
import type { Ref } from 'preact';
import { useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { Picture } from '../../render/canvas';
import { drawMap, mapSize, type Overview, wantsMap } from '../../render/overview';
import type { Shown } from '../../render/shown-picture';

/** What the picture calls to have the minimap drawn. */
export interface MinimapControls {
  draw(shown: Shown, overview: Overview | null): void;
}

interface Props {
  controls: Ref<MinimapControls>;
  picture: { current: Picture | null };
}

/** The whole graph, small. Dragging the frame, or a click, moves the view; in the graph, the arrow
 * keys, + and 0 do the same. */
export function Minimap({ controls, picture }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState('');
  useImperativeHandle(
    controls,
    () => ({
      draw(shown, overview) {
        const { width, height } = mapSize(shown.scene);
        setSize(wantsMap(shown) ? `width:${width}px;height:${height}px` : '');
        if (canvas.current) drawMap(canvas.current, shown, overview, devicePixelRatio);
      },
    }),
    [],
  );
  const { take, go } = useDragging(picture);
  return (
    <div
      class="jxv-minimap"
      aria-hidden="true"
      hidden={size === ''}
      style={size}
      onPointerDown={take}
      onPointerMove={go}
    >
      <canvas ref={canvas} />
    </div>
  );
}

/** Moves the camera of the picture with the pointer: the frame is dragged from where it was taken; a
 * press beside the frame brings its middle to the pointer. */
function useDragging(picture: Props['picture']) {
  const grip = useRef({ x: 0, y: 0 });
  /** The point of the scene at the pointer, and the middle of what is seen. */
  const places = (event: PointerEvent) => {
    const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect();
    const { scene, camera, view } = (picture.current as Picture).shown();
    const [halfX, halfY] = [view.width / camera.zoom / 2, view.height / camera.zoom / 2];
    const x = ((event.clientX - left) / width) * scene.width;
    const y = ((event.clientY - top) / height) * scene.height;
    return { x, y, offX: camera.x + halfX - x, offY: camera.y + halfY - y, halfX, halfY };
  };
  const take = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const { offX, offY, halfX, halfY } = places(event);
    const inside = Math.abs(offX) <= halfX && Math.abs(offY) <= halfY;
    grip.current = inside ? { x: offX, y: offY } : { x: 0, y: 0 };
    go(event);
  };
  const go = (event: PointerEvent) => {
    if (!(event.currentTarget as Element).hasPointerCapture(event.pointerId)) return;
    const { x, y } = places(event);
    picture.current?.centre(x + grip.current.x, y + grip.current.y);
  };
  return { take, go };
}
