import { useTabStop } from './current-box.ts';
import { CUT_WORDS, type Direction } from './graph-model.ts';
import './more-button.css';

/** The button at the side of a box that leads to what is not shown there, with a sign where an answer was cut. */

type MoreProps = {
  readonly direction: Direction;
  readonly count: number;
  readonly isCut: boolean;
  readonly label: string;
  readonly onMore: () => void;
};

export const MoreButton = ({ direction, count, isCut, label, onMore }: MoreProps) => {
  const tabIndex = useTabStop();
  return count === 0 ? null : (
    <button
      type="button"
      tabIndex={tabIndex}
      className={`box-more nodrag ${direction}${isCut ? ' cut' : ''}`}
      onClick={onMore}
      aria-label={isCut ? `${label}, ${CUT_WORDS}` : label}
      title={isCut ? 'The lineage was cut here. Go on from here' : undefined}
    >
      {isCut && <span aria-hidden="true">✂&#xfe0e;</span>}+{count.toLocaleString()}
    </button>
  );
};
