import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { MayDo } from '../api/permissions.ts';
import { worstStates } from '../api/tests.ts';
import { TestOutcome } from '../parts/outcome-chip.tsx';
import type { Subject } from './edit/use-save.ts';
import { ItemPanel, showMeasure } from './item-panel.tsx';
import { type ItemNotes, ItemTable } from './item-table.tsx';
import { countItems, flattenItems, type Item, type ItemSet, readItemSets } from './items.ts';
import { SparkLine } from './spark-line.tsx';
import { pointsOf, useAllColumnProfiles, useTableProfiles } from './use-profiles.ts';
import { useTests } from './use-tests.ts';

/** The columns of a record with what is known of each; the address names the one that is open. */

type PartProps = { readonly subject: Subject; readonly may: MayDo };

const CHOSEN = 'column';

const useChosen = (set: ItemSet) => {
  const [params, setParams] = useSearchParams();
  const name = params.get(CHOSEN);
  const chosen = name === null ? undefined : flattenItems(set.items).find((item) => nameOf(item) === name);
  const choose = (item: Item | undefined) =>
    setParams((former) => {
      const next = new URLSearchParams(former);
      if (item === undefined || nameOf(item) === name) next.delete(CHOSEN);
      else next.set(CHOSEN, nameOf(item));
      return next;
    });
  return { chosen, choose };
};

const nameOf = ({ fqn, pointer }: Item): string => fqn ?? pointer;

const useNotes = ({ type, read: { asset } }: Subject, set: ItemSet) => {
  const isTable = type === 'table' && !asset.deleted;
  const tests = useTests(asset.fullyQualifiedName, isTable).data?.data ?? [];
  const { data: runs = [] } = useTableProfiles(asset.id, isTable);
  const { data: profiles } = useAllColumnProfiles(asset.id, countItems(set.items), runs.length > 0);
  const states = useMemo(() => worstStates(tests), [tests]);
  const hasTexts = useMemo(
    () => flattenItems(set.items).some(({ description, tags }) => Boolean(description) || tags.length > 0),
    [set.items],
  );
  const notes: ItemNotes = {
    hasTexts,
    hasTests: states.size > 0,
    hasLines: profiles !== undefined && profiles.size > 0,
    testState: ({ fqn = '' }) => (states.has(fqn) ? <TestOutcome status={states.get(fqn)} /> : null),
    line: ({ path, name }) => {
      const points = pointsOf(profiles?.get(path.join('.')) ?? [], ({ nullProportion }) => nullProportion);
      const last = points.at(-1);
      return last === undefined ? null : (
        <span className="row line-cell">
          <SparkLine points={points} label={`Share of empty values of ${name}`} width={60} height={22} />
          {showMeasure(last.value, true)}
        </span>
      );
    },
  };
  return { notes, tests };
};

const ItemsOf = ({ subject, may, set }: PartProps & { readonly set: ItemSet }) => {
  const { chosen, choose } = useChosen(set);
  const { notes, tests } = useNotes(subject, set);
  return (
    <section className="card stack" aria-label={set.title}>
      <ItemTable
        set={set}
        notes={notes}
        chosen={chosen?.pointer}
        onChoose={choose}
        panel={
          chosen && (
            <ItemPanel
              key={chosen.path.join('\n')}
              subject={subject}
              may={may}
              item={chosen}
              tests={tests.filter(({ entityFQN }) => entityFQN === chosen.fqn)}
              onClose={() => choose(undefined)}
            />
          )
        }
      />
    </section>
  );
};

export const ItemsPart = ({ subject, may }: PartProps) => {
  const { type, read } = subject;
  const sets = useMemo(() => readItemSets(type, read.asset), [type, read.asset]);
  return sets.map((set) => <ItemsOf key={set.title} subject={subject} may={may} set={set} />);
};
