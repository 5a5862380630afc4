import { Link } from 'wouter';
import { assetAddress, lineageAddress } from '../addresses.ts';
import { hasLineage } from '../api/kinds.ts';
import type { Reference } from '../api/types.ts';
import { KindName } from './kind-name.tsx';
import './asset-links.css';

const fqnOf = ({ fullyQualifiedName, name }: Reference): string => fullyQualifiedName ?? name ?? '';

export const nameOfReference = (ref: Reference): string => ref.displayName || ref.name || fqnOf(ref);

/** A link to the asset. What the caller may not see has no name. */
export const AssetLink = ({ asset }: { readonly asset: Reference }) =>
  fqnOf(asset) === '' ? (
    <span className="quiet">an asset that you may not see</span>
  ) : (
    <Link href={assetAddress(asset.type ?? '', fqnOf(asset))} title={fqnOf(asset)}>
      {nameOfReference(asset)}
    </Link>
  );

/** An asset with where it is, its kind, and the way to its lineage. */
export const AssetRow = ({ asset, children }: { readonly asset: Reference; readonly children?: React.ReactNode }) => (
  <div className="asset-row">
    <div className="asset-row-name">
      <AssetLink asset={asset} />
      <span className="quiet asset-row-fqn">{fqnOf(asset)}</span>
    </div>
    {children}
    <KindName type={asset.type ?? ''} />
    {hasLineage(asset.type ?? '') && (
      <Link
        className="asset-row-lineage"
        href={lineageAddress(asset.type ?? '', fqnOf(asset))}
        aria-label={`Lineage of ${nameOfReference(asset)}`}
      >
        Lineage
      </Link>
    )}
  </div>
);
