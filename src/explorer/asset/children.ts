/** What records of a kind contain, and how the API lists it. */

export type ChildList =
  | {
      readonly title: string;
      readonly from: 'list';
      readonly type: string;
      readonly by: string;
      readonly value?: 'id';
      readonly root?: boolean;
    }
  | { readonly title: string; readonly from: 'assets' }
  | { readonly title: string; readonly from: 'children' }
  | { readonly title: string; readonly from: 'carriers' | 'people' }
  | { readonly title: string; readonly from: 'member'; readonly member: string };

const list = (
  title: string,
  type: string,
  by: string,
  more: { readonly value?: 'id'; readonly root?: boolean } = {},
): ChildList => ({
  title,
  from: 'list',
  type,
  by,
  ...more,
});

const member = (title: string, name: string): ChildList => ({ title, from: 'member', member: name });

const ASSETS: ChildList = { title: 'Assets', from: 'assets' };

/** Tags and terms are carried by whole assets, and by their columns and fields. */
const LABELLED: readonly ChildList[] = [ASSETS, { title: 'Columns and fields', from: 'carriers' }];

const CHILDREN: ReadonlyMap<string, readonly ChildList[]> = new Map(
  Object.entries({
    databaseService: [list('Databases', 'database', 'service'), list('Queries', 'query', 'service')],
    database: [list('Schemas', 'databaseSchema', 'database')],
    databaseSchema: [
      list('Tables', 'table', 'databaseSchema'),
      list('Stored procedures', 'storedProcedure', 'databaseSchema'),
    ],
    table: [list('Queries that use it', 'query', 'entityId', { value: 'id' })],
    messagingService: [list('Topics', 'topic', 'service')],
    dashboardService: [
      list('Dashboards', 'dashboard', 'service'),
      list('Charts', 'chart', 'service'),
      list('Data models', 'dashboardDataModel', 'service'),
    ],
    dashboard: [member('Charts', 'charts'), member('Data models', 'dataModels')],
    chart: [member('Dashboards', 'dashboards')],
    pipelineService: [list('Pipelines', 'pipeline', 'service')],
    mlmodelService: [list('Models', 'mlmodel', 'service')],
    storageService: [list('Containers', 'container', 'service', { root: true })],
    container: [{ title: 'Containers in it', from: 'children' }],
    searchService: [list('Search indexes', 'searchIndex', 'service')],
    apiService: [list('API collections', 'apiCollection', 'service')],
    apiCollection: [list('API endpoints', 'apiEndpoint', 'apiCollection')],
    driveService: [list('Directories', 'directory', 'service', { root: true }), list('Files', 'file', 'service')],
    directory: [list('Directories in it', 'directory', 'parent'), list('Files', 'file', 'directory')],
    glossary: [list('Terms', 'glossaryTerm', 'glossary')],
    glossaryTerm: [list('Narrower terms', 'glossaryTerm', 'parent'), ...LABELLED],
    classification: [list('Tags', 'tag', 'parent')],
    tag: [list('Tags below', 'tag', 'parent'), ...LABELLED],
    domain: [list('Domains in it', 'domain', 'parent'), list('Data products', 'dataProduct', 'domain'), ASSETS],
    dataProduct: [ASSETS],
    team: [list('Teams in it', 'team', 'parentTeam'), { title: 'People', from: 'people' }, ASSETS],
    user: [ASSETS],
    role: [member('Policies', 'policies'), member('People', 'users'), member('Teams', 'teams')],
    policy: [member('Roles', 'roles'), member('Teams', 'teams')],
    testSuite: [list('Test cases', 'testCase', 'testSuiteId', { value: 'id' })],
    query: [member('Used in', 'queryUsedIn')],
  }),
);

export const childListsOf = (type: string): readonly ChildList[] => CHILDREN.get(type) ?? [];

/** Members in place of which a list of the API is shown, because they are cut off at some length. */
const LISTED_MEMBERS = ['children', 'apiEndpoints', 'tests'];

/** Members that are shown as lists of children and nowhere else. */
export const childMembersOf = (type: string): readonly string[] => [
  ...childListsOf(type).flatMap((one) => (one.from === 'member' ? [one.member] : [])),
  ...LISTED_MEMBERS,
  ...(type === 'team' ? ['users'] : []),
];
