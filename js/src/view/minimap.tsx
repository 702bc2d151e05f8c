import type { Ref } from 'preact';
import { useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { Picture } from '../render/canvas';
import type { Shown } from '../render/export';
import { drawMap, mapSize, wantsMap } from '../render/minimap';
import type { Overview } from '../render/overview';

/** Tells the minimap what the picture shows. */
export interface MinimapControls {
  draw(shown: Shown, overview: Overview | null): void;
}

interface Props {
  controls: Ref<MinimapControls>;
  picture: { current: Picture | null };
}

/** The whole graph, small: drag the frame, or click to go there. The arrow keys, + and 0 of the
 * graph do the same without it. */
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
  const go = (event: PointerEvent) => {
    const shown = picture.current?.shown();
    const frame = event.currentTarget as HTMLElement;
    if (!shown || !frame.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = frame.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * shown.scene.width;
    const y = ((event.clientY - top) / height) * shown.scene.height;
    picture.current?.centre(x, y);
  };
  return (
    <div
      class="jxv-minimap"
      aria-hidden="true"
      hidden={size === ''}
      style={size}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={go}
    >
      <canvas ref={canvas} />
    </div>
  );
}
