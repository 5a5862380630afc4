import { splitTellingEnd } from '../api/full-name.ts';
import { markTyped } from '../api/highlight.ts';
import { PassageText } from './passage.tsx';
import './full-name.css';

type FullNameProps = {
  readonly fqn: string;
  /** What was typed, to be marked where it stands in the name. */
  readonly typed?: string | undefined;
};

/** A full name in one line. Where there is little room its beginning is cut, for its end tells it from its neighbours. */
export const FullName = ({ fqn, typed = '' }: FullNameProps) => {
  const [beginning, end] = splitTellingEnd(fqn);
  return (
    <span className="full-name" title={fqn}>
      {beginning && (
        <span className="full-name-beginning">
          <PassageText parts={markTyped(beginning, typed)} />
        </span>
      )}
      <span className="full-name-end">
        <PassageText parts={markTyped(end, typed)} />
      </span>
    </span>
  );
};
