import { describeClause } from './describe-clause.ts';
import { type ContractForm, MEMBERS, type Member } from './form.ts';

/** Tells what somebody else changed while this was typed, and lets their text be taken clause by clause. */

type MergeNoticeProps = {
  readonly taken: readonly Member[];
  readonly conflicts: readonly Member[];
  readonly theirs: ContractForm;
  readonly form: ContractForm;
  readonly setForm: (change: Partial<ContractForm>) => void;
};

const names = (members: readonly Member[]): string => members.map((member) => MEMBERS[member].toLowerCase()).join(', ');

export const MergeNotice = ({ taken, conflicts, theirs, form, setForm }: MergeNoticeProps) => (
  <section className="notice stack" role="alert" aria-label="Conflict">
    <p>
      Somebody changed this contract meanwhile. Nothing that you typed is lost.
      {taken.length > 0 && ` Their ${names(taken)} stand in the form now.`}
    </p>
    {conflicts.length > 0 && (
      <>
        <p>Both of you changed the following. Save to put yours in its place, or take theirs.</p>
        <ul className="conflicts">
          {conflicts.map((member) => (
            <li key={member} className="card">
              <h3>{MEMBERS[member]}</h3>
              <div className="conflict-sides">
                <div>
                  <p className="quiet">Yours</p>
                  <pre>{describeClause(form, member) || '—'}</pre>
                </div>
                <div>
                  <p className="quiet">Theirs</p>
                  <pre>{describeClause(theirs, member) || '—'}</pre>
                </div>
              </div>
              <button type="button" className="button" onClick={() => setForm({ [member]: theirs[member] })}>
                Take their {MEMBERS[member].toLowerCase()}
              </button>
            </li>
          ))}
        </ul>
      </>
    )}
  </section>
);
