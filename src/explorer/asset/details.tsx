import type { Asset } from '../api/asset.ts';
import type { Members } from '../api/members.ts';
import { childMembersOf } from './children.ts';
import { describeMembers, type Fact } from './describe-members.ts';
import { GOVERNANCE_MEMBERS } from './governance.tsx';
import { itemMembersOf } from './items.ts';
import { isUnsaid } from './member-words.ts';
import { FactList } from './shown-value.tsx';

/** The members of a record that only its kind has, in readable form. */

/** Members that other parts of the page show, or that tell people nothing. */
const SHOWN_ELSEWHERE = [
  ...GOVERNANCE_MEMBERS,
  'changeDescription',
  'apiCollection',
  'classification',
  'columns',
  'dataContract',
  'database',
  'databaseSchema',
  'deleted',
  'description',
  'directory',
  'displayName',
  'email',
  'entityFQN',
  'entityLink',
  'entityStatus',
  'executableEntityReference',
  'followers',
  'fullyQualifiedName',
  'glossary',
  'href',
  'id',
  'impersonatedBy',
  'incrementalChangeDescription',
  'name',
  'parent',
  'processedLineage',
  'service',
  'sourceUrl',
  'testCaseResult',
  'testCaseStatus',
  'updatedAt',
  'updatedBy',
  'usageSummary',
  'version',
  'votes',
];

/** Of contracts the clauses have a form of their own. */
const CLAUSES = ['schema', 'semantics', 'sla', 'termsOfUse', 'security', 'qualityExpectations', 'latestResult'];

/** Where all of a member's values are items with a table of their own, the rest of it is still shown. */
const withoutItems = (type: string, asset: Members): Members => {
  const { messageSchema, dataModel, requestSchema, responseSchema } = asset as Record<string, Members | undefined>;
  const strip = (value: Members | undefined, name: string) =>
    value === undefined ? {} : Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  const parts: Members = {
    ...(messageSchema && { messageSchema: strip(messageSchema, 'schemaFields') }),
    ...(dataModel && { dataModel: strip(dataModel, 'columns') }),
    ...(requestSchema && { requestSchema: strip(requestSchema, 'schemaFields') }),
    ...(responseSchema && { responseSchema: strip(responseSchema, 'schemaFields') }),
  };
  const hidden = new Set(itemMembersOf(type));
  const rest = Object.entries(asset).filter(([name, value]) => !hidden.has(name) && !isUnsaid(name, value));
  return { ...Object.fromEntries(rest), ...parts };
};

export const detailsOf = (type: string, asset: Asset): readonly Fact[] =>
  describeMembers(withoutItems(type, asset as unknown as Members), {
    without: new Set([
      ...SHOWN_ELSEWHERE,
      ...childMembersOf(type),
      ...(type === 'dataContract' ? CLAUSES : []),
      ...(type === 'pipeline' ? ['pipelineStatus'] : []),
      // The suite of the table is one of all suites, and the incident stands beside the result.
      ...(type === 'testCase' ? ['testSuite', 'incidentId', 'incidentStatus'] : []),
    ]),
  });

type DetailsProps = { readonly title: string; readonly facts: readonly Fact[] };

export const Details = ({ title, facts }: DetailsProps) =>
  facts.length === 0 ? null : (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      <FactList facts={facts} />
    </section>
  );
