import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useMe } from '../api/me.ts';
import {
  ACTIONS,
  type ActionName,
  type AuditChoice,
  readAuditChoice,
  writeAuditChoice,
} from '../audit/audit-choice.ts';
import { AuditEntries } from '../audit/audit-entries.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { useSettled } from '../parts/use-settled.ts';
import './audit.css';

const PAUSE_MS = 300;

type FilterProps = { readonly choice: AuditChoice; readonly onChange: (part: Partial<AuditChoice>) => void };

/** The name is asked for when it has been typed. */
const ActorFilter = ({ choice, onChange }: FilterProps) => {
  const [typed, setTyped] = useState(choice.actor);
  const settled = useSettled(typed.trim(), PAUSE_MS);
  const write = useRef(onChange);
  write.current = onChange;
  const written = useRef(choice.actor);
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    write.current({ actor: settled });
  }, [settled]);
  useEffect(() => {
    if (choice.actor === written.current) return;
    written.current = choice.actor;
    setTyped(choice.actor);
  }, [choice.actor]);
  return (
    <label className="field">
      Who
      <input
        type="search"
        placeholder="Name of a user or bot"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
};

const Filters = ({ choice, onChange }: FilterProps) => (
  <section className="audit-filters" aria-label="Filters">
    <ActorFilter choice={choice} onChange={onChange} />
    <label className="field">
      What
      <select
        value={choice.action ?? ''}
        onChange={({ target }) => onChange({ action: (target.value || undefined) as ActionName | undefined })}
      >
        <option value="">Everything</option>
        {Object.entries(ACTIONS).map(([action, title]) => (
          <option key={action} value={action}>
            {title}
          </option>
        ))}
      </select>
    </label>
    <label className="field">
      From
      <input type="date" value={choice.from} onChange={({ target }) => onChange({ from: target.value })} />
    </label>
    <label className="field">
      To
      <input type="date" value={choice.to} onChange={({ target }) => onChange({ to: target.value })} />
    </label>
  </section>
);

const Log = () => {
  const [params, setParams] = useSearchParams();
  const choice = readAuditChoice(params);
  const change = (part: Partial<AuditChoice>) =>
    setParams((former) => writeAuditChoice({ ...readAuditChoice(former), ...part }), { replace: true });
  return (
    <>
      <Filters choice={choice} onChange={change} />
      <section className="card stack" aria-label="Entries">
        <AuditEntries choice={choice} />
      </section>
    </>
  );
};

const Content = () => {
  const { data: me, error, refetch } = useMe();
  if (error) return <Failure failure={error} again={refetch} />;
  if (!me) return <Waiting what="your rights" />;
  if (me.isAdmin) return <Log />;
  return (
    <p className="notice">
      The audit log is for administrators. You are signed in as {me.displayName || me.name}, who is none. Somebody with
      these rights can look something up for you.
    </p>
  );
};

/** Who did what that matters to security. */
export const AuditPage = () => (
  <div className="page stack audit">
    <div>
      <h1>Audit log</h1>
      <p className="quiet">Logins, tokens, refusals, exports and changes of rights, newest first.</p>
    </div>
    <Content />
  </div>
);
