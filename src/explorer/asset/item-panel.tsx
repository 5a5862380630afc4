import { Link } from 'wouter';
import { assetAddress, trailAddress } from '../addresses.ts';
import type { Asset } from '../api/asset.ts';
import { nameAt } from '../api/members.ts';
import type { MayDo } from '../api/permissions.ts';
import { statusOf, type TestCase } from '../api/tests.ts';
import { hasColumns } from '../lineage/columns.ts';
import { TestOutcome } from '../parts/outcome-chip.tsx';
import { RichText } from '../parts/rich-text.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { readableTime } from '../parts/times.ts';
import { describeMembers } from './describe-members.ts';
import { DescriptionField } from './description.tsx';
import { Editable } from './edit/editable.tsx';
import { patchText } from './edit/patch.ts';
import type { Subject } from './edit/use-save.ts';
import { LabelPicker, patchLabels } from './governance.tsx';
import { findItem, type Item } from './items.ts';
import { isByHand, type Label } from './label-edit.ts';
import { Labels } from './labels.tsx';
import { FactList } from './shown-value.tsx';
import { type Point, SparkLine } from './spark-line.tsx';
import { type ColumnProfile, pointsOf, useColumnProfiles } from './use-profiles.ts';

/** One column with all that is known of it, and the editors of its description and labels. */

type PanelProps = {
  readonly subject: Subject;
  readonly may: MayDo;
  readonly item: Item;
  readonly tests: readonly TestCase[];
  readonly onClose: () => void;
};

/** The item in the present state of the record; without it there is nothing that a change could apply to. */
const requireItem = (type: string, asset: Asset, item: Item): Item => {
  const found = findItem(type, asset, item);
  if (found === undefined) throw new Error(`${item.name} is gone: somebody has removed or renamed it meanwhile`);
  return found;
};

const Texts = ({ subject, may, item }: Omit<PanelProps, 'tests' | 'onClose'>) => (
  <Editable
    subject={subject}
    member={`${item.path.join('\n')} description`}
    title={`description of ${item.name}`}
    isAllowed={may('EditDescription')}
    start={item.description ?? ''}
    view={
      item.description ? (
        <RichText text={item.description} />
      ) : (
        <span className="quiet">Nobody has described it yet.</span>
      )
    }
    build={(present, { value }) => {
      const { pointer, description } = requireItem(subject.type, present, item);
      return patchText(`${pointer}/description`, description, value);
    }}
    form={(value, change) => <DescriptionField value={value} onChange={change} />}
  />
);

const Tags = ({ subject, may, item }: Omit<PanelProps, 'tests' | 'onClose'>) => (
  <Editable<readonly Label[]>
    subject={subject}
    member={`${item.path.join('\n')} tags`}
    title={`tags of ${item.name}`}
    isAllowed={may('EditTags') || may('EditGlossaryTerms')}
    start={item.tags.filter(isByHand)}
    view={<Labels labels={item.tags} none="No tags" />}
    build={(present, edit) => {
      const { pointer, tags } = requireItem(subject.type, present, item);
      return patchLabels(`${pointer}/tags`, edit, tags);
    }}
    form={(chosen, change) => <LabelPicker chosen={chosen} onChange={change} />}
  />
);

/** Measures that are shown with their course, by what people call them. */
const MEASURES: readonly {
  readonly name: keyof ColumnProfile & string;
  readonly title: string;
  readonly isShare?: true;
}[] = [
  { name: 'valuesCount', title: 'Values' },
  { name: 'nullProportion', title: 'Empty', isShare: true },
  { name: 'distinctCount', title: 'Different values' },
  { name: 'uniqueProportion', title: 'Unique', isShare: true },
  { name: 'min', title: 'Least' },
  { name: 'max', title: 'Most' },
  { name: 'mean', title: 'Mean' },
  { name: 'median', title: 'Median' },
  { name: 'stddev', title: 'Standard deviation' },
  { name: 'minLength', title: 'Shortest' },
  { name: 'maxLength', title: 'Longest' },
];

export const showMeasure = (value: unknown, isShare = false): string => {
  if (typeof value !== 'number') return String(value);
  return isShare
    ? `${(value * 100).toLocaleString('en', { maximumFractionDigits: 2 })} %`
    : value.toLocaleString('en', { maximumFractionDigits: 4 });
};

const Measure = ({
  title,
  text,
  points,
}: {
  readonly title: string;
  readonly text: string;
  readonly points: readonly Point[];
}) => (
  <div>
    <dt>{title}</dt>
    <dd>
      <span>{text}</span>
      {points.length > 1 && <SparkLine points={points} label={title} width={84} height={24} />}
    </dd>
  </div>
);

const Measures = ({ fqn }: { readonly fqn: string | undefined }) => {
  const { data, error, refetch } = useColumnProfiles(fqn);
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the profiles" />;
  const last = data.at(-1);
  if (last === undefined) return null;
  return (
    <>
      <p className="quiet">Measured on {readableTime(last.timestamp)}</p>
      <dl className="measures">
        {MEASURES.filter(({ name }) => last[name] !== undefined).map(({ name, title, isShare }) => (
          <Measure
            key={name}
            title={title}
            text={showMeasure(last[name], isShare)}
            points={pointsOf(data, (profile) => profile[name])}
          />
        ))}
      </dl>
    </>
  );
};

const PANEL_MEMBERS = new Set([
  'children',
  'customMetrics',
  'dataType',
  'dataTypeDisplay',
  'description',
  'fullyQualifiedName',
  'name',
  'profile',
  'tags',
]);

/** Takes the focus when it is opened, which also brings it into sight. */
const takeFocus = (panel: HTMLElement | null): void => panel?.focus();

export const ItemPanel = ({ subject, may, item, tests, onClose }: PanelProps) => {
  const facts = describeMembers(item.members, { without: PANEL_MEMBERS });
  const { type, read } = subject;
  return (
    <section className="item-panel stack" aria-label={`About ${item.name}`} ref={takeFocus} tabIndex={-1}>
      <div className="item-panel-head">
        <h3>
          {item.path.join(' › ')} <span className="quiet">{item.dataType}</span>
        </h3>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Texts subject={subject} may={may} item={item} />
      <Tags subject={subject} may={may} item={item} />
      {facts.length > 0 && <FactList facts={facts} />}
      {type === 'table' && <Measures fqn={item.fqn} />}
      {tests.length > 0 && (
        <ul className="rows">
          {tests.map((test) => (
            <li key={test.id}>
              <Link href={assetAddress('testCase', test.fullyQualifiedName)}>{nameAt(test)}</Link>
              <TestOutcome status={statusOf(test)} />
            </li>
          ))}
        </ul>
      )}
      {hasColumns(type) && item.fqn !== undefined && (
        <Link href={trailAddress(type, read.asset.fullyQualifiedName, item.fqn)}>Its trail through the graph</Link>
      )}
    </section>
  );
};
