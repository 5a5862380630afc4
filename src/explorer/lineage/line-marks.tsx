import { BY_HAND_MARK } from './trust.ts';

/** The marks that lines begin with; each takes the colour of its line. */
export const LineMarks = () => (
  <svg className="line-marks" aria-hidden="true">
    <defs>
      <marker
        id={BY_HAND_MARK}
        viewBox="0 0 10 10"
        refX="0"
        refY="5"
        markerWidth="13"
        markerHeight="13"
        markerUnits="userSpaceOnUse"
      >
        <path d="M0 5 5 1 10 5 5 9z" />
      </marker>
    </defs>
  </svg>
);
