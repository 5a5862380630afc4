import { Link } from 'wouter';
import { searchChoiceAddress } from '../addresses.ts';
import { kindOf } from '../api/kinds.ts';
import type { KindCount } from './use-kind-counts.ts';

const SHOWN = 8;

/** How much there is of what, as ways into the search. */
export const KindCounts = ({ counts }: { readonly counts: readonly KindCount[] }) => (
  <nav className="kind-counts" aria-label="Kinds of data">
    {counts.slice(0, SHOWN).map(({ type, count }) => (
      <Link key={type} href={searchChoiceAddress({ text: '', chosen: { entityType: [type] }, sort: 'used' })}>
        <strong>{count.toLocaleString()}</strong> {(count === 1 ? kindOf(type)?.one : kindOf(type)?.title) ?? type}
      </Link>
    ))}
  </nav>
);
