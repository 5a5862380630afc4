import { Clause } from './clause.tsx';
import { type ContractForm, STATUSES } from './form.ts';
import type { Problem } from './problems.ts';

/** What the contract is called, what it is about, and since when it holds. */

export type FieldsProps = {
  readonly form: ContractForm;
  readonly setForm: (change: Partial<ContractForm>) => void;
  readonly problems: readonly Problem[];
};

/** A moment as the field of the browser takes it; the field knows no time zone, so it is in UTC. */
const toField = (moment: string): string => {
  const time = Date.parse(moment);
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 16);
};

const fromField = (text: string): string => (text === '' ? '' : `${text}:00Z`);

type MomentProps = { readonly label: string; readonly value: string; readonly onChange: (moment: string) => void };

const MomentField = ({ label, value, onChange }: MomentProps) => (
  <label className="field">
    <span>{label}, in UTC</span>
    <input type="datetime-local" value={toField(value)} onChange={({ target }) => onChange(fromField(target.value))} />
  </label>
);

type TextProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly isRequired?: boolean;
};

export const TextField = ({ label, value, onChange, isRequired = false }: TextProps) => (
  <label className="field">
    <span>{label}</span>
    <input type="text" value={value} required={isRequired} onChange={({ target }) => onChange(target.value)} />
  </label>
);

type BasicFieldsProps = FieldsProps & { readonly isNew: boolean };

export const BasicFields = ({ form, setForm, problems, isNew }: BasicFieldsProps) => (
  <Clause
    title="About"
    members={['name', 'displayName', 'description', 'entityStatus', 'effectiveFrom', 'effectiveUntil', 'sourceUrl']}
    problems={problems}
  >
    <div className="field-pair">
      {isNew ? (
        <TextField label="Name" value={form.name} isRequired onChange={(name) => setForm({ name })} />
      ) : (
        <p>
          <span className="quiet">Name</span>
          <br />
          {form.name}
        </p>
      )}
      <TextField label="Display name" value={form.displayName} onChange={(displayName) => setForm({ displayName })} />
    </div>
    <label className="field">
      <span>Description, in Markdown</span>
      <textarea rows={5} value={form.description} onChange={({ target }) => setForm({ description: target.value })} />
    </label>
    <div className="field-pair">
      <label className="field">
        <span>Status</span>
        <select value={form.entityStatus} onChange={({ target }) => setForm({ entityStatus: target.value })}>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <TextField label="Source address" value={form.sourceUrl} onChange={(sourceUrl) => setForm({ sourceUrl })} />
      <MomentField
        label="Valid from"
        value={form.effectiveFrom}
        onChange={(effectiveFrom) => setForm({ effectiveFrom })}
      />
      <MomentField
        label="Valid until"
        value={form.effectiveUntil}
        onChange={(effectiveUntil) => setForm({ effectiveUntil })}
      />
    </div>
  </Clause>
);

export const TermsField = ({ form, setForm, problems }: FieldsProps) => (
  <Clause title="Terms of use" members={['termsOfUse']} problems={problems}>
    <label className="field">
      <span>Terms under which the data may be used, in Markdown</span>
      <textarea rows={4} value={form.termsOfUse} onChange={({ target }) => setForm({ termsOfUse: target.value })} />
    </label>
  </Clause>
);
