import { assetAddress, trailAddress } from '../addresses.ts';
import { columnOf, type Hit, reasonOf } from '../api/hit.ts';
import { hasLineage } from '../api/kinds.ts';

/** What a search suggests: hits, and after each the column that was found in it where that has lineage. */

type FoundColumn = { readonly fqn: string; readonly text: string };
export type Suggestion = { readonly hit: Hit; readonly column?: FoundColumn; readonly isToldNext?: boolean };

export const suggestionsOf = (hit: Hit): readonly Suggestion[] => {
  const reason = hasLineage(hit.type) ? reasonOf(hit) : undefined;
  const fqn = reason && columnOf(hit, reason);
  return reason && fqn !== undefined
    ? [
        { hit, isToldNext: true },
        { hit, column: { fqn, text: reason.text } },
      ]
    : [{ hit }];
};

export const suggestionAddress = ({ hit: { type, fqn }, column }: Suggestion): string =>
  column ? trailAddress(type, fqn, column.fqn) : assetAddress(type, fqn);
