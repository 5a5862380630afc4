import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { Reference } from '../api/types.ts';

/** References as links to what they name. */
export const RefLinks = ({ refs, none }: { readonly refs: readonly Reference[] | undefined; readonly none: string }) =>
  refs === undefined || refs.length === 0 ? (
    <span className="quiet">{none}</span>
  ) : (
    <span className="row">
      {refs.map(({ id, type = '', name, displayName, fullyQualifiedName }) => (
        <Link key={id} className="chip" href={assetAddress(type, fullyQualifiedName ?? name ?? '')}>
          {displayName || name}
        </Link>
      ))}
    </span>
  );
