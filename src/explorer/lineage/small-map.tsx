import { Panel, useReactFlow, useStore } from '@xyflow/react';
import { type MouseEvent, useEffect, useMemo, useRef } from 'react';
import type { Places } from '../layout/placement.ts';
import { boundsOf } from './box-bounds.ts';
import type { Drawing } from './flow.ts';

/** A map of thousands of boxes, drawn once; only the frame of what is in sight moves. */

type MapProps = { readonly drawing: Drawing; readonly places: Places };

const WIDTH = 200;
const HEIGHT = 150;
const MARGIN = 6;

/** How the graph fits into the map. */
const fitMap = ({ boxes }: Drawing, places: Places) => {
  const { x, y, width, height } = boundsOf(boxes, places);
  const scale = Math.min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height);
  return { scale, left: WIDTH / 2 - (x + width / 2) * scale, top: HEIGHT / 2 - (y + height / 2) * scale };
};

export const SmallMap = ({ drawing, places }: MapProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const fit = useMemo(() => fitMap(drawing, places), [drawing, places]);
  const [x, y, zoom] = useStore(({ transform }) => transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const { setCenter } = useReactFlow();
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context) return;
    context.clearRect(0, 0, WIDTH, HEIGHT);
    context.fillStyle = getComputedStyle(canvas.current).color;
    for (const { id, width: wide, height: high } of drawing.boxes) {
      const place = places.get(id);
      if (!place) continue;
      const corner = [fit.left + place.x * fit.scale, fit.top + place.y * fit.scale] as const;
      context.fillRect(...corner, Math.max(1, wide * fit.scale), Math.max(1, high * fit.scale));
    }
  }, [drawing, places, fit]);
  const go = ({ clientX, clientY, currentTarget }: MouseEvent<HTMLButtonElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    setCenter((clientX - left - fit.left) / fit.scale, (clientY - top - fit.top) / fit.scale, { zoom });
  };
  return (
    <Panel position="bottom-right" className="small-map">
      {/* The keyboard has the list of the same graph. */}
      <button type="button" tabIndex={-1} aria-label="Go to a place on the map" onClick={go}>
        <canvas ref={canvas} width={WIDTH} height={HEIGHT} />
      </button>
      <div
        className="in-sight"
        style={{
          transform: `translate(${fit.left - (x / zoom) * fit.scale}px, ${fit.top - (y / zoom) * fit.scale}px)`,
          width: (width / zoom) * fit.scale,
          height: (height / zoom) * fit.scale,
        }}
      />
    </Panel>
  );
};
