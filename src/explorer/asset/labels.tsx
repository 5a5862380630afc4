import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { Label } from './label-edit.ts';

const DERIVED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Derived: 'follows from another tag or record',
    Propagated: 'comes by lineage',
  }),
);

/** Tags and glossary terms as links to what they mean. */
export const Labels = ({ labels, none }: { readonly labels: readonly Label[]; readonly none: string }) =>
  labels.length === 0 ? (
    <span className="quiet">{none}</span>
  ) : (
    <span className="row">
      {labels.map(({ tagFQN, source, labelType, state, description }) => (
        <Link
          key={`${source} ${tagFQN}`}
          className={state === 'Suggested' ? 'chip warn' : 'chip'}
          href={assetAddress(source === 'Glossary' ? 'glossaryTerm' : 'tag', tagFQN)}
          title={[DERIVED.get(labelType ?? ''), description].filter(Boolean).join('. ')}
        >
          {tagFQN}
          {state === 'Suggested' && <span> (suggested)</span>}
        </Link>
      ))}
    </span>
  );
