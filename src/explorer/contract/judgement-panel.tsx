import { describeFailure } from '../api/failure.ts';
import { clauseId } from './clause.tsx';
import { MEMBERS, type Member } from './form.ts';
import type { Judgement } from './use-judgement.ts';
import type { Weakening } from './weakened.ts';

/** What the service says of the contract as it stands in the form, and what a save takes from those who rely on it. */

/** Several members share a part of the form, which has the name of the first. */
const PART_OF: Partial<Record<Member, Member>> = {
  displayName: 'name',
  description: 'name',
  entityStatus: 'name',
  effectiveFrom: 'name',
  effectiveUntil: 'name',
  sourceUrl: 'name',
  reviewers: 'owners',
};

const goTo = (member: Member): void => {
  const part = document.getElementById(clauseId(PART_OF[member] ?? member));
  part?.scrollIntoView({ block: 'start' });
  part?.focus({ preventScroll: true });
};

const MemberLink = ({ member }: { readonly member: Member | undefined }) =>
  member === undefined ? (
    <strong>The whole</strong>
  ) : (
    <button type="button" className="link-button" onClick={() => goTo(member)}>
      {MEMBERS[member]}
    </button>
  );

export const Verdict = ({
  judgement: { judged, problems, isJudging, error, refetch },
}: {
  readonly judgement: Judgement;
}) => {
  if (error)
    return (
      <p className="notice bad" role="alert">
        It cannot be judged: {describeFailure(error)}{' '}
        <button type="button" className="button" onClick={() => refetch()}>
          Judge again
        </button>
      </p>
    );
  if (!judged) return <span className="chip">is being judged …</span>;
  const errors = problems.filter(({ isNote }) => !isNote).length;
  return (
    <span className="row">
      <span className={`chip ${errors > 0 ? 'bad' : 'good'}`}>
        {errors > 0 ? `${errors} ${errors === 1 ? 'problem' : 'problems'}` : 'can be saved'}
      </span>
      {isJudging && <span className="quiet">judging …</span>}
    </span>
  );
};

type PanelProps = { readonly judgement: Judgement; readonly weakened: readonly Weakening[]; readonly isNew: boolean };

export const JudgementPanel = ({ judgement, weakened, isNew }: PanelProps) => {
  const { judged, problems } = judgement;
  const columns = judged?.schemaValidation;
  return (
    <section className="card stack judgement" aria-label="Judgement">
      <div className="row">
        <h2>Judgement</h2>
        <div role="status">
          <Verdict judgement={judgement} />
        </div>
      </div>
      {columns && columns.total > 0 && (
        <p>
          {columns.passed} of {columns.total} promised columns are in the asset.
        </p>
      )}
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map(({ member, text, isNote }) => (
            <li key={`${member} ${text}`} className={isNote ? 'note' : ''}>
              <MemberLink member={member} />: {text}
            </li>
          ))}
        </ul>
      )}
      {!isNew && (
        <>
          <h3>Breaking changes</h3>
          {weakened.length === 0 ? (
            <p className="quiet">None: every promise stays.</p>
          ) : (
            <ul className="problems breaking">
              {weakened.map(({ member, text }) => (
                <li key={text}>
                  <MemberLink member={member} />: {text}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
};
