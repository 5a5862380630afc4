import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { Reference, Schemas } from '../api/types.ts';
import { KindName } from '../parts/kind-name.tsx';
import { RefLinks } from '../parts/refs.tsx';
import { columnName, count, recordName } from './names.ts';
import { RecordLink } from './record-link.tsx';
import type { Affected } from './use-impact.ts';

/** One record that a change reaches: how surely, what of it breaks, and who answers for it. */

type Contract = Schemas['AffectedContract'];

/** More names than these are counted rather than listed. */
const NAMES_SHOWN = 12;

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <span className="affected-names">
    {names.slice(0, NAMES_SHOWN).map((name) => (
      <code key={name}>{name}</code>
    ))}
    {names.length > NAMES_SHOWN && <span className="quiet">and {names.length - NAMES_SHOWN} more</span>}
  </span>
);

const BrokenContract = ({ contract: { fqn = '', broken } }: { readonly contract: Contract }) => (
  <li>
    <Link href={assetAddress('dataContract', fqn)}>
      {fqn
        .split('.')
        .at(-1)
        ?.replace(/^dataContract_/, '')}
    </Link>{' '}
    {broken.length > 0 ? `breaks in ${count(broken.length, 'clause')}:` : 'may break'} <Names names={broken} />
  </li>
);

type BrokenProps = {
  readonly title?: string;
  readonly contracts: readonly Contract[];
  readonly tests: readonly Reference[];
};

/** The contracts and tests that break. */
export const Broken = ({ title, contracts, tests }: BrokenProps) =>
  contracts.length + tests.length === 0 ? null : (
    <div className="broken">
      {title && <h3>{title}</h3>}
      <ul>
        {contracts.map((contract) => (
          <BrokenContract key={contract.id} contract={contract} />
        ))}
        {tests.map((test) => (
          <li key={test.id}>
            Test <RecordLink record={test} /> reads it
          </li>
        ))}
      </ul>
    </div>
  );

type RowProps = { readonly row: Affected; readonly isShown: boolean; readonly onPath: () => void };

export const AffectedRow = ({ row, isShown, onPath }: RowProps) => {
  const { entity, columns, certainty, depth, owners = [], contracts, tests, tier } = row;
  return (
    <div className="affected-row">
      <span className="row">
        <RecordLink record={entity} />
        <span className={`chip ${certainty === 'certain' ? 'bad' : 'warn'}`}>
          {certainty === 'certain' ? '✕ certain' : '? possible'}
        </span>
        {!entity.hidden && <KindName type={entity.type} />}
        {tier && <span className="chip">{tier.replace('Tier.', '')}</span>}
      </span>
      {columns.length > 0 && <Names names={columns.map((name) => columnName(name, entity.fullyQualifiedName))} />}
      <Broken contracts={contracts} tests={tests} />
      <span className="row">
        {owners.length > 0 && <span className="quiet">Ask</span>}
        <RefLinks refs={owners} none={entity.hidden ? '' : 'Nobody owns it'} />
      </span>
      <button type="button" className="button small" aria-pressed={isShown} onClick={onPath}>
        {isShown ? 'Hide the path' : `Show the path (${count(depth, 'step')})`}
        <span className="visually-hidden"> to {recordName(entity)}</span>
      </button>
    </div>
  );
};
