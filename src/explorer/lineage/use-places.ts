import { useCallback, useEffect, useRef, useState } from 'react';
import type { FormerPlaces, Placement } from '../layout/placement.ts';
import { type Drawing, haveSamePlaces } from './flow.ts';
import { placeBeside } from './graph-thread.ts';

/**
 * Where the boxes of a drawing stand; undefined until the first layout has come. A former layout stays until the next,
 * which keeps the order of the boxes that are still there, and their heights where others only came.
 */

type Placed = Placement & { readonly drawing: Drawing; readonly isHeld: boolean };

/** How boxes stood before, unless this is another graph. What went or became lower leaves gaps, which are closed. */
const formerPlaces = (was: Placed | undefined, { boxes }: Drawing): FormerPlaces | undefined => {
  if (!was) return undefined;
  const heights = new Map(boxes.map(({ id, height }) => [id, height]));
  const stayed = was.drawing.boxes.filter(({ id }) => heights.has(id));
  if (stayed.length * 2 < was.drawing.boxes.length) return undefined;
  const hasOnlyGrown =
    stayed.length === was.drawing.boxes.length && stayed.every(({ id, height }) => (heights.get(id) ?? 0) >= height);
  return { tops: was.tops, rows: was.rows, isHeld: hasOnlyGrown };
};

export const usePlaces = (drawing: Drawing) => {
  const [placed, setPlaced] = useState<Placed>();
  const [failure, setFailure] = useState<unknown>();
  const latest = useRef<Placed>(undefined);
  const asked = useRef(0);
  const place = useCallback(async (next: Drawing, former: FormerPlaces | undefined): Promise<void> => {
    asked.current += 1;
    const turn = asked.current;
    try {
      const placement = await placeBeside(next.boxes, next.links, former);
      // What was asked for later counts.
      if (turn !== asked.current) return;
      latest.current = { ...placement, drawing: next, isHeld: former?.isHeld ?? false };
      setPlaced(latest.current);
      setFailure(undefined);
    } catch (reason) {
      if (turn === asked.current) setFailure(reason);
    }
  }, []);
  useEffect(() => {
    const was = latest.current;
    if (!was || !haveSamePlaces(was.drawing, drawing)) place(drawing, formerPlaces(was, drawing));
    return () => {
      asked.current += 1;
    };
  }, [drawing, place]);
  /** Places everything anew, as if the graph had just been opened. */
  const tidy = useCallback(() => place(drawing, undefined), [drawing, place]);
  return { places: placed?.places, bends: placed?.bends, tidy: placed?.isHeld ? tidy : undefined, failure };
};
