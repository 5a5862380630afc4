import { type Hit, partOf, reasonOf } from '../api/hit.ts';
import { FullName } from './full-name.tsx';
import { KindName } from './kind-name.tsx';
import { Passage } from './passage.tsx';
import type { Suggestion } from './suggestions.ts';

/** Why the asset is suggested, where its name does not tell. */
const Reason = ({ hit }: { readonly hit: Hit }) => {
  const reason = reasonOf(hit);
  if (!reason) return null;
  return (
    <span className="suggestion-reason">
      {partOf(reason) && <span className="quiet">{partOf(reason)} </span>}
      <Passage text={reason.text} isLine />
    </span>
  );
};

type HitSuggestionProps = {
  readonly hit: Hit;
  readonly typed: string;
  /** Whether the next suggestion is what was found in it. */
  readonly isToldNext?: boolean;
};

/** A hit in the list below a text field. What was typed is marked in the full name where nothing else has it. */
const HitSuggestion = ({ hit, typed, isToldNext = false }: HitSuggestionProps) => {
  const isExplained = hit.markedName !== undefined || reasonOf(hit) !== undefined;
  return (
    <>
      <span className="suggestion-name">
        {hit.markedName === undefined ? hit.name : <Passage text={hit.markedName} />}
      </span>
      <KindName type={hit.type} />
      {!isToldNext && <Reason hit={hit} />}
      <span className="suggestion-fqn">
        <FullName fqn={hit.fqn} typed={isExplained ? '' : typed} />
      </span>
    </>
  );
};

type ColumnSuggestionProps = { readonly hit: Hit; readonly text: string };

/** A column of the hit above it, which leads to its lineage. */
const ColumnSuggestion = ({ hit, text }: ColumnSuggestionProps) => (
  <>
    <span className="suggestion-name suggestion-column">
      <Passage text={text} />
    </span>
    <span className="quiet">lineage of this column</span>
    <span className="visually-hidden">of {hit.name}</span>
  </>
);

/** What a search suggests, in the list below a text field. */
export const SuggestionRow = ({ hit, column, isToldNext, typed }: Suggestion & { readonly typed: string }) =>
  column ? (
    <ColumnSuggestion hit={hit} text={column.text} />
  ) : (
    <HitSuggestion hit={hit} typed={typed} isToldNext={isToldNext ?? false} />
  );
