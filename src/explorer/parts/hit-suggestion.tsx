import { type Hit, partOf, reasonOf } from '../api/hit.ts';
import { FullName } from './full-name.tsx';
import { KindName } from './kind-name.tsx';
import { Passage } from './passage.tsx';

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

type HitSuggestionProps = { readonly hit: Hit; readonly typed: string };

/** A hit in the list below a text field. What was typed is marked in the full name where nothing else has it. */
export const HitSuggestion = ({ hit, typed }: HitSuggestionProps) => {
  const isExplained = hit.markedName !== undefined || reasonOf(hit) !== undefined;
  return (
    <>
      <span className="suggestion-name">
        {hit.markedName === undefined ? hit.name : <Passage text={hit.markedName} />}
      </span>
      <KindName type={hit.type} />
      <Reason hit={hit} />
      <span className="suggestion-fqn">
        <FullName fqn={hit.fqn} typed={isExplained ? '' : typed} />
      </span>
    </>
  );
};
