import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { kindOf } from '../api/kinds.ts';
import { listAt } from '../api/members.ts';
import type { MayDo } from '../api/permissions.ts';
import type { Choice } from '../api/pick.ts';
import type { Reference, Schemas } from '../api/types.ts';
import { RefLinks } from '../parts/refs.tsx';
import { Editable } from './edit/editable.tsx';
import { patchList } from './edit/patch.ts';
import { Picker } from './edit/picker.tsx';
import type { Subject } from './edit/use-save.ts';
import { choiceOf, isByHand, isTier, type Label, labelKey, labelOf, sentLabel, tierOf } from './label-edit.ts';
import { Labels } from './labels.tsx';

/** Who answers for a record and how it is classified, with an editor for each. */

export type PartProps = { readonly subject: Subject; readonly may: MayDo };

type RefMember = {
  readonly member: string;
  readonly title: string;
  readonly none: string;
  readonly types: string;
  readonly operation: string;
};

const REF_MEMBERS: readonly RefMember[] = [
  { member: 'owners', title: 'Owners', none: 'Nobody', types: 'user,team', operation: 'EditOwners' },
  { member: 'domains', title: 'Domains', none: 'None', types: 'domain', operation: 'EditDomains' },
  { member: 'dataProducts', title: 'Data products', none: 'None', types: 'dataProduct', operation: 'EditAll' },
  { member: 'experts', title: 'Experts', none: 'Nobody', types: 'user', operation: 'EditAll' },
  { member: 'reviewers', title: 'Reviewers', none: 'Nobody', types: 'user,team', operation: 'EditReviewers' },
];

/** Members that this part of the page shows. */
export const GOVERNANCE_MEMBERS: readonly string[] = [...REF_MEMBERS.map(({ member }) => member), 'tags'];

const refsAt = (asset: unknown, member: string) => listAt(asset, member) as readonly Reference[];

/** What is inherited belongs to the record above, and is changed there. */
const ownRefs = (asset: unknown, member: string): readonly Choice[] =>
  refsAt(asset, member)
    .filter(({ inherited }) => !inherited)
    .map(({ id = '', type = '', name = '', displayName, fullyQualifiedName }) => ({
      id,
      type,
      name: displayName || name,
      fqn: fullyQualifiedName ?? name,
    }));

const sentRefs = (choices: readonly Choice[]) => choices.map(({ id, type }) => ({ id, type }));

const RefsPart = ({ subject, may, row }: PartProps & { readonly row: RefMember }) => {
  const { member, title, none, types, operation } = row;
  const refs = refsAt(subject.read.asset, member);
  return (
    <Editable<readonly Choice[]>
      subject={subject}
      member={member}
      title={title.toLowerCase()}
      isAllowed={may(operation)}
      start={ownRefs(subject.read.asset, member)}
      view={
        <>
          <RefLinks refs={refs} none={none} />
          {refs.some(({ inherited }) => inherited) && <span className="quiet fact-note">inherited</span>}
        </>
      }
      build={(present, edit) =>
        patchList(`/${member}`, { ...edit, present: ownRefs(present, member) }, ({ id }) => id).map((operation) =>
          operation.op === 'add' ? { ...operation, value: sentRefs(operation.value as readonly Choice[]) } : operation,
        )
      }
      form={(chosen, change) => (
        <Picker label={`Find ${title.toLowerCase()}`} types={types} chosen={chosen} onChange={change} />
      )}
    />
  );
};

/** Adds and removes labels in the list at a place of the record. */
export const patchLabels = (
  path: string,
  edit: { readonly start: readonly Label[]; readonly value: readonly Label[] },
  present: readonly Label[],
) =>
  patchList(path, { ...edit, present }, labelKey).map((operation) =>
    operation.op === 'add' ? { ...operation, value: (operation.value as readonly Label[]).map(sentLabel) } : operation,
  );

type LabelPickerProps = { readonly chosen: readonly Label[]; readonly onChange: (chosen: readonly Label[]) => void };

/** Chooses tags and glossary terms; the tier has an editor of its own. */
export const LabelPicker = ({ chosen, onChange }: LabelPickerProps) => (
  <Picker
    label="Find tags and glossary terms"
    types="tag,glossaryTerm"
    chosen={chosen.map(choiceOf)}
    isHidden={({ fqn }) => isTier({ tagFQN: fqn })}
    onChange={(choices) =>
      onChange(choices.map((choice) => chosen.find((label) => labelKey(label) === choice.id) ?? labelOf(choice)))
    }
  />
);

const TagsPart = ({ subject, may }: PartProps) => {
  const labels = (subject.read.asset.tags ?? []).filter((label) => !isTier(label));
  return (
    <Editable<readonly Label[]>
      subject={subject}
      member="tags"
      title="tags"
      isAllowed={may('EditTags') || may('EditGlossaryTerms')}
      start={labels.filter(isByHand)}
      view={<Labels labels={labels} none="None" />}
      build={(present, edit) => patchLabels('/tags', edit, present.tags ?? [])}
      form={(chosen, change) => <LabelPicker chosen={chosen} onChange={change} />}
    />
  );
};

const TierField = ({ value, onChange }: { readonly value: string; readonly onChange: (tier: string) => void }) => {
  const { data } = useQuery({
    queryKey: ['tiers'],
    queryFn: ({ signal }) => ask<Schemas['TagList']>('/v1/tags', { query: { parent: 'Tier', limit: 100 }, signal }),
  });
  const names = [...new Set([value, ...(data?.data ?? []).map(({ fullyQualifiedName }) => fullyQualifiedName)])];
  return (
    <label className="field">
      <span className="visually-hidden">Tier</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">None</option>
        {names
          .filter((name) => name !== '')
          .map((name) => (
            <option key={name} value={name}>
              {name.slice('Tier.'.length)}
            </option>
          ))}
      </select>
    </label>
  );
};

const labelsOfTier = (tier: string): readonly Label[] =>
  tier === '' ? [] : [labelOf({ id: tier, type: 'tag', fqn: tier, name: tier })];

const TierPart = ({ subject, may }: PartProps) => {
  const labels = (subject.read.asset.tags ?? []).filter(isTier);
  return (
    <Editable<string>
      subject={subject}
      member="tier"
      title="tier"
      isAllowed={may('EditTier')}
      start={tierOf(labels)}
      view={<Labels labels={labels} none="None" />}
      build={(present, { value }) => {
        const now = present.tags ?? [];
        // A record has one tier: whichever it has now gives way.
        return patchLabels('/tags', { start: now.filter(isTier), value: labelsOfTier(value) }, now);
      }}
      form={(value, change) => <TierField value={value} onChange={change} />}
    />
  );
};

export const Governance = ({ subject, may }: PartProps) => {
  const fields = kindOf(subject.type)?.fields ?? [];
  return (
    <dl className="facts">
      {REF_MEMBERS.filter(({ member }) => fields.includes(member)).map((row) => (
        <div key={row.member}>
          <dt>{row.title}</dt>
          <dd>
            <RefsPart subject={subject} may={may} row={row} />
          </dd>
        </div>
      ))}
      {fields.includes('tags') && (
        <>
          <div>
            <dt>Tags</dt>
            <dd>
              <TagsPart subject={subject} may={may} />
            </dd>
          </div>
          <div>
            <dt>Tier</dt>
            <dd>
              <TierPart subject={subject} may={may} />
            </dd>
          </div>
        </>
      )}
    </dl>
  );
};
