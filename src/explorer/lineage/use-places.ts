import { useEffect, useRef, useState } from 'react';
import { type Drawing, haveSamePlaces } from './flow.ts';
import { placeBoxes } from './layout.ts';
import type { Places } from './placement.ts';

/** Where the boxes of a drawing stand; undefined until the first layout has come. A former layout stays until the next. */
export const usePlaces = (drawing: Drawing) => {
  const [places, setPlaces] = useState<Places>();
  const [failure, setFailure] = useState<unknown>();
  const placed = useRef<Drawing>(undefined);
  useEffect(() => {
    if (placed.current && haveSamePlaces(placed.current, drawing)) return;
    let isOver = false;
    placeBoxes(drawing.boxes, drawing.links).then(
      (next) => {
        if (isOver) return;
        placed.current = drawing;
        setPlaces(next);
        setFailure(undefined);
      },
      (reason: unknown) => {
        if (!isOver) setFailure(reason);
      },
    );
    return () => {
      isOver = true;
    };
  }, [drawing]);
  return { places, failure };
};
