import { type FieldsProps, TextField } from './basic-fields.tsx';
import { Clause } from './clause.tsx';
import type { Security } from './form.ts';

/** How confidential the data is, and who may see which rows of it. */

type Policy = NonNullable<Security['policies']>[number];
type Filter = NonNullable<Policy['rowFilters']>[number];

/** Lists are typed one item a line, because names may have commas. */
const toLines = (items: readonly string[] | undefined): string => (items ?? []).join('\n');
const fromLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

type ListProps = {
  readonly label: string;
  readonly items: readonly string[] | undefined;
  readonly onChange: (items: string[]) => void;
};

const ListField = ({ label, items, onChange }: ListProps) => (
  <label className="field">
    <span>{label}, one a line</span>
    <textarea rows={2} value={toLines(items)} onChange={({ target }) => onChange(fromLines(target.value))} />
  </label>
);

type FilterProps = {
  readonly filter: Filter;
  readonly at: number;
  readonly onChange: (next: Filter | undefined) => void;
};

const FilterRow = ({ filter, at, onChange }: FilterProps) => (
  <div className="field-pair">
    <TextField
      label={`Column of filter ${at + 1}`}
      value={filter.columnName ?? ''}
      onChange={(columnName) => onChange({ ...filter, columnName })}
    />
    <ListField
      label={`Values of filter ${at + 1}`}
      items={filter.values}
      onChange={(values) => onChange({ ...filter, values })}
    />
    <button type="button" className="button" onClick={() => onChange(undefined)}>
      Remove filter {at + 1}
    </button>
  </div>
);

const replaceAt = <T,>(list: readonly T[], at: number, next: T | undefined): T[] =>
  list.flatMap((item, index) => (index === at ? (next ?? []) : item) as T | T[]);

type PolicyProps = {
  readonly policy: Policy;
  readonly at: number;
  readonly onChange: (next: Policy | undefined) => void;
};

const PolicyCard = ({ policy, at, onChange }: PolicyProps) => {
  const filters = policy.rowFilters ?? [];
  return (
    <fieldset className="stack part">
      <legend>{policy.accessPolicy || `Access policy ${at + 1}`}</legend>
      <div className="field-pair">
        <TextField
          label="Policy"
          value={policy.accessPolicy ?? ''}
          onChange={(accessPolicy) => onChange({ ...policy, accessPolicy })}
        />
        <ListField
          label="Users and groups"
          items={policy.identities}
          onChange={(identities) => onChange({ ...policy, identities })}
        />
      </div>
      {filters.map((filter, index) => (
        <FilterRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a filter has no other identity while it is typed.
          key={index}
          filter={filter}
          at={index}
          onChange={(next) => onChange({ ...policy, rowFilters: replaceAt(filters, index, next) })}
        />
      ))}
      <div className="row">
        <button
          type="button"
          className="button"
          onClick={() => onChange({ ...policy, rowFilters: [...filters, { columnName: '', values: [] }] })}
        >
          Show only some rows
        </button>
        <button type="button" className="button" onClick={() => onChange(undefined)}>
          Remove policy {policy.accessPolicy || at + 1}
        </button>
      </div>
    </fieldset>
  );
};

const withSecurity = (security: Security, change: Partial<Security>): Security => {
  const { dataClassification, policies } = { ...security, ...change };
  return {
    ...(dataClassification ? { dataClassification } : {}),
    ...(policies && policies.length > 0 ? { policies } : {}),
  };
};

export const SecurityFields = ({ form, setForm, problems }: FieldsProps) => {
  const { security } = form;
  const policies = security.policies ?? [];
  const set = (change: Partial<Security>) => setForm({ security: withSecurity(security, change) });
  return (
    <Clause title="Security" members={['security']} problems={problems}>
      <TextField
        label="Classification of the data"
        value={security.dataClassification ?? ''}
        onChange={(dataClassification) => set({ dataClassification })}
      />
      {policies.map((policy, at) => (
        <PolicyCard
          // biome-ignore lint/suspicious/noArrayIndexKey: a policy has no other identity while it is typed.
          key={at}
          policy={policy}
          at={at}
          onChange={(next) => set({ policies: replaceAt(policies, at, next) })}
        />
      ))}
      <div>
        <button type="button" className="button" onClick={() => set({ policies: [...policies, { accessPolicy: '' }] })}>
          Add an access policy
        </button>
      </div>
    </Clause>
  );
};
