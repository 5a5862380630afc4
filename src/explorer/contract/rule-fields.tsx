import { type FieldsProps, TextField } from './basic-fields.tsx';
import { Clause } from './clause.tsx';
import type { Rule } from './form.ts';

/** The rules that the metadata of the asset has to satisfy, written in JSON logic. */

type Template = { readonly title: string; readonly rule: Rule };

const template = (title: string, name: string, description: string, rule: unknown): Template => ({
  title,
  rule: { name, description, rule: JSON.stringify(rule), enabled: true, provider: 'user' },
});

const TEMPLATES: readonly Template[] = [
  template('Has an owner', 'has-owner', 'Somebody answers for it.', { '>': [{ length: [{ var: 'owners' }] }, 0] }),
  template('Is described', 'is-described', 'Everybody can read what it holds.', { '!!': [{ var: 'description' }] }),
  template('Has described columns', 'has-described-columns', 'Every column says what it holds.', {
    all: [{ var: 'columns' }, { '!!': [{ var: 'description' }] }],
  }),
  template('Has a domain', 'has-domain', 'It belongs to a domain.', { '>': [{ length: [{ var: 'domains' }] }, 0] }),
  template('Has a tier', 'has-tier', 'Its importance is known.', {
    some: [{ var: 'tags' }, { in: ['Tier.', { var: 'tagFQN' }] }],
  }),
  {
    title: 'Another rule',
    rule: { name: '', description: '', rule: '{"!!": [{"var": ""}]}', enabled: true, provider: 'user' },
  },
];

/** A name that no other rule has. */
const freeName = (name: string, rules: readonly Rule[]): string => {
  const taken = new Set(rules.map((rule) => rule.name));
  if (name === '' || !taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
};

type RuleCardProps = { readonly rule: Rule; readonly at: number; readonly onChange: (rule: Rule | undefined) => void };

const RuleCard = ({ rule, at, onChange }: RuleCardProps) => (
  <fieldset className="stack part">
    <legend>{rule.name || `Rule ${at + 1}`}</legend>
    <div className="field-pair">
      <TextField label="Name" value={rule.name} isRequired onChange={(name) => onChange({ ...rule, name })} />
      <TextField
        label="Description"
        value={rule.description}
        onChange={(description) => onChange({ ...rule, description })}
      />
    </div>
    <label className="field">
      <span>Rule, in JSON logic over the members of the asset</span>
      <textarea
        className="code-text"
        rows={3}
        spellCheck={false}
        value={rule.rule}
        onChange={({ target }) => onChange({ ...rule, rule: target.value })}
      />
    </label>
    <div className="row">
      <label className="check">
        <input
          type="checkbox"
          checked={rule.enabled}
          onChange={({ target }) => onChange({ ...rule, enabled: target.checked })}
        />
        <span>In force</span>
      </label>
      <button type="button" className="button" onClick={() => onChange(undefined)}>
        Remove rule {rule.name || at + 1}
      </button>
    </div>
  </fieldset>
);

export const RuleFields = ({ form, setForm, problems }: FieldsProps) => {
  const { semantics } = form;
  const change = (at: number, next: Rule | undefined) =>
    setForm({ semantics: semantics.flatMap((rule, index) => (index === at ? (next ?? []) : rule)) });
  return (
    <Clause
      title="Rules"
      members={['semantics']}
      problems={problems}
      hint="Each rule has to hold for what the catalog says of the asset."
    >
      {semantics.map((rule, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no other identity while its name is typed.
        <RuleCard key={at} rule={rule} at={at} onChange={(next) => change(at, next)} />
      ))}
      <fieldset className="row part-choice">
        <legend>Add a rule</legend>
        {TEMPLATES.map(({ title, rule }) => (
          <button
            key={title}
            type="button"
            className="button"
            onClick={() => setForm({ semantics: [...semantics, { ...rule, name: freeName(rule.name, semantics) }] })}
          >
            {title}
          </button>
        ))}
      </fieldset>
    </Clause>
  );
};
