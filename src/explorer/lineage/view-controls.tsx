import { ControlButton, Controls } from '@xyflow/react';
import './view-controls.css';

type ControlsProps = {
  readonly showAll: () => void;
  readonly onZoom: () => void;
  readonly isMap: boolean;
  readonly onMap: (isMap: boolean) => void;
  /** Places all boxes anew, where they were held in the places that they had before others came. */
  readonly tidy: (() => void) | undefined;
};

/** What one does to the view at its foot: larger, smaller, everything, and a map of it. */
export const ViewControls = ({ showAll, onZoom, isMap, onMap, tidy }: ControlsProps) => (
  <Controls orientation="horizontal" showInteractive={false} showFitView={false} onZoomIn={onZoom} onZoomOut={onZoom}>
    <ControlButton onClick={showAll} title="Show all" aria-label="Show all">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" className="control-line" />
      </svg>
    </ControlButton>
    <ControlButton onClick={() => onMap(!isMap)} title="Map" aria-label="Map" aria-pressed={isMap}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M1.5 3h13v10h-13z" className="control-line" />
        <path d="M4 5.5h3v2H4zM9 8.5h3v2H9z" />
      </svg>
    </ControlButton>
    {tidy && (
      <ControlButton onClick={tidy} title="Tidy up" aria-label="Tidy up">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path
            d="M1.5 3.5h4v3h-4zM1.5 9.5h4v3h-4zM10.5 6.5h4v3h-4zM5.5 5h2.5v6h-2.5M8 8h2.5"
            className="control-line"
          />
        </svg>
      </ControlButton>
    )}
  </Controls>
);
