import { Link } from 'wouter';
import { contractAddress, csvAddress } from '../addresses.ts';
import { csvKindOf } from '../api/csv-kinds.ts';
import { canHaveContract } from '../contract/subjects.ts';

/** The ways from an asset to its contract and to its CSV, where its kind has them. */
export const GovernanceLinks = ({ type, fqn }: { readonly type: string; readonly fqn: string }) => (
  <>
    {canHaveContract(type) && (
      <Link className="button" href={contractAddress(type, fqn)}>
        Contract
      </Link>
    )}
    {csvKindOf(type) && (
      <Link className="button" href={csvAddress(type, fqn)}>
        CSV
      </Link>
    )}
  </>
);
