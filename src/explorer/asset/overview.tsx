import type { Asset } from '../api/asset.ts';
import { hasLineage } from '../api/kinds.ts';
import { usePermissions } from '../api/permissions.ts';
import type { Schemas } from '../api/types.ts';
import { RefLinks } from '../parts/refs.tsx';
import { readableTime } from '../parts/times.ts';
import { Contents } from './contents.tsx';
import { ContractView } from './contract.tsx';
import { isWide } from './describe-members.ts';
import { Description } from './description.tsx';
import { Details, detailsOf } from './details.tsx';
import type { Subject } from './edit/use-save.ts';
import { Governance } from './governance.tsx';
import { ItemsPart } from './items-part.tsx';
import { LineagePreview } from './lineage-preview.tsx';
import { PipelineRuns } from './pipeline-runs.tsx';
import { TestState } from './test-state.tsx';
import { hasUsage, Usage } from './usage.tsx';

/**
 * The first view of a record: what it is, who answers for it, what it contains and what it is connected with.
 *
 * Read next in this folder: `head.tsx` above all views; `description.tsx`, `governance.tsx` and `edit/` for what can be
 * edited; `items.ts` and `items-part.tsx` for columns; `describe-members.ts` for the members of any kind and `children.ts`
 * for what records contain; then the other views: `quality.tsx`, `contract.tsx`, `versions.tsx` with `diff/`, `activity.tsx`.
 */

const Followers = ({ asset }: { readonly asset: Asset }) =>
  asset.followers === undefined || asset.followers.length === 0 ? null : (
    <details>
      <summary>Followers: {asset.followers.length}</summary>
      <RefLinks refs={asset.followers} none="Nobody" />
    </details>
  );

const LastChange = ({ asset: { version, updatedAt, updatedBy } }: { readonly asset: Asset }) => (
  <p className="quiet">
    Version {version}
    {updatedAt === undefined ? '' : ` of ${readableTime(updatedAt)}`} by {updatedBy}
  </p>
);

/** What only records of some kinds have. */
const OwnParts = ({ type, asset }: { readonly type: string; readonly asset: Asset }) => (
  <>
    {type === 'dataContract' && (
      <section className="card" aria-label="Clauses">
        <ContractView contract={asset as Schemas['DataContract']} />
      </section>
    )}
    {type === 'pipeline' && <PipelineRuns fqn={asset.fullyQualifiedName} />}
  </>
);

const nothing = () => false;

export const Overview = ({ subject }: { readonly subject: Subject }) => {
  const { type, read } = subject;
  const { asset } = read;
  const permissions = usePermissions(type, asset.deleted ? undefined : asset.id);
  // The API refuses changes of what is deleted.
  const may = asset.deleted ? nothing : permissions;
  const facts = detailsOf(type, asset);
  return (
    <div className="asset-body">
      <div className="stack">
        {type === 'testCase' && !asset.deleted && <TestState asset={asset} />}
        <section className="card stack" aria-label="Description">
          <Description subject={subject} may={may} />
        </section>
        {!asset.deleted && <OwnParts type={type} asset={asset} />}
        <ItemsPart subject={subject} may={may} />
        <Details title="Definition" facts={facts.filter(isWide)} />
        {!asset.deleted && <Contents type={type} asset={asset} />}
        {hasLineage(type) && !asset.deleted && <LineagePreview type={type} asset={asset} />}
      </div>
      <div className="stack">
        <section className="card stack" aria-label="Facts">
          <Governance subject={subject} may={may} />
          <Followers asset={asset} />
          <LastChange asset={asset} />
        </section>
        <Details title="Details" facts={facts.filter((fact) => !isWide(fact))} />
        {hasUsage(type) && !asset.deleted && <Usage type={type} id={asset.id} />}
      </div>
    </div>
  );
};
