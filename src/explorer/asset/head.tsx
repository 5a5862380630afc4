import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress, changesAddress, columnAddress, lineageAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { hasLineage, kindOf } from '../api/kinds.ts';
import { textAt } from '../api/members.ts';
import type { MayDo } from '../api/permissions.ts';
import { Failure } from '../parts/states.tsx';
import { Editable } from './edit/editable.tsx';
import { patchText } from './edit/patch.ts';
import type { Subject } from './edit/use-save.ts';
import { FollowButton } from './follow-button.tsx';
import { GovernanceLinks } from './governance-links.tsx';
import { readOuterSteps, type TrailStep } from './trail.ts';
import { Trust } from './trust.tsx';
import { VoteButtons } from './vote-buttons.tsx';

/** What a record is and where it stands, what it is called, and what the caller thinks of it. */

type HeadProps = { readonly subject: Subject; readonly may: MayDo };

const addressOf = ({ type, fqn, column }: TrailStep): string =>
  column === undefined ? assetAddress(type, fqn) : columnAddress(type, fqn, column);

const Trail = ({ subject: { type, read } }: Pick<HeadProps, 'subject'>) => (
  <nav className="trail" aria-label="Where it stands">
    <ol>
      {readOuterSteps(read.asset).map((step) => (
        <li key={`${step.type} ${step.column ?? step.fqn}`}>
          <Link href={addressOf(step)}>{step.name}</Link>
        </li>
      ))}
      <li className="quiet">{kindOf(type)?.one ?? type}</li>
    </ol>
  </nav>
);

const Title = ({ subject, may }: HeadProps) => {
  const { asset } = subject.read;
  return (
    <Editable
      subject={subject}
      member="displayName"
      title="display name"
      isAllowed={!asset.deleted && may('EditDisplayName')}
      start={asset.displayName ?? ''}
      view={<h1>{asset.displayName || asset.name}</h1>}
      build={(present, { value }) => patchText('/displayName', present.displayName, value.trim())}
      form={(value, change) => (
        <label className="field">
          Display name (empty shows the name)
          <input type="text" value={value} maxLength={256} onChange={({ target }) => change(target.value)} />
        </label>
      )}
    />
  );
};

const State = ({ subject: { type, read } }: Pick<HeadProps, 'subject'>) => {
  const status = textAt(read.asset, 'entityStatus');
  const source = textAt(read.asset, 'sourceUrl');
  return (
    <p className="row asset-state">
      <code className="quiet asset-fqn">{read.asset.fullyQualifiedName}</code>
      {status !== undefined && status !== 'Unprocessed' && <span className="chip">{status}</span>}
      {type === 'user' && textAt(read.asset, 'email') && <span className="quiet">{textAt(read.asset, 'email')}</span>}
      {source !== undefined && /^https?:/i.test(source) && (
        <a href={source} rel="noreferrer noopener" target="_blank">
          In its own system
        </a>
      )}
    </p>
  );
};

const Deleted = ({ subject: { type, fqn, read }, may }: HeadProps) => {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask(`/v1/${kindOf(type)?.path}/restore`, { method: 'PUT', json: { id: read.asset.id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['asset', type, fqn] }),
  });
  return (
    <div className="notice bad row" role="status">
      <p>This is deleted. It is read only, and searches do not find it.</p>
      {may('EditAll') && (
        <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
          Restore
        </button>
      )}
      {error && <Failure failure={error} />}
    </div>
  );
};

export const Head = ({ subject, may }: HeadProps) => {
  const { type, read } = subject;
  const { asset } = read;
  return (
    <>
      <header className="asset-head">
        <div className="asset-title">
          <Trail subject={subject} />
          <Title subject={subject} may={may} />
          <State subject={subject} />
        </div>
        <div className="row">
          {!asset.deleted && <VoteButtons type={type} asset={asset} />}
          {!asset.deleted && <FollowButton type={type} asset={asset} />}
          <GovernanceLinks type={type} fqn={asset.fullyQualifiedName} />
          <Link className="button" href={changesAddress(asset.fullyQualifiedName)}>
            Changes
          </Link>
          {hasLineage(type) && (
            <Link className="button main" href={lineageAddress(type, asset.fullyQualifiedName)}>
              Lineage
            </Link>
          )}
        </div>
      </header>
      {!asset.deleted && <Trust type={type} asset={asset} />}
      {asset.deleted && <Deleted subject={subject} may={may} />}
      {read.isPartial && (
        <p className="notice">Parts of this are not shown, because they need rights that you do not have.</p>
      )}
    </>
  );
};
