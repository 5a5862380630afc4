import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { SubjectAsset } from '../api/subject.ts';
import { ContractOutcome } from '../parts/outcome-chip.tsx';
import type { Contract } from './form.ts';

/** Whose contract it is, what state it is in, and the parts of the page. */

const VIEWS = [
  { view: 'terms', title: 'Clauses' },
  { view: 'results', title: 'Results' },
  { view: 'odcs', title: 'ODCS' },
  { view: 'versions', title: 'Versions' },
] as const;

type HeadProps = {
  readonly subject: SubjectAsset;
  readonly contract: Contract | null;
  readonly view: string;
};

export const ContractHead = ({ subject, contract, view }: HeadProps) => (
  <>
    <header>
      <p className="quiet">
        Contract of <Link href={assetAddress(subject.type, subject.fqn)}>{subject.title}</Link>
      </p>
      <div className="row">
        <h1>{contract ? contract.displayName || contract.name : 'No contract yet'}</h1>
        {contract?.entityStatus && <span className="chip">{contract.entityStatus}</span>}
        {contract?.latestResult && <ContractOutcome status={contract.latestResult.status} />}
      </div>
      <p className="quiet asset-fqn">{subject.fqn}</p>
    </header>
    <nav className="views" aria-label="Parts of the page">
      {VIEWS.map((one) => (
        <Link
          key={one.view}
          href={`?view=${one.view}`}
          aria-current={one.view === view || (view === 'edit' && one.view === 'terms') ? 'page' : undefined}
        >
          {one.title}
        </Link>
      ))}
    </nav>
  </>
);
