import {
  Archive,
  Bell,
  BookOpen,
  Bot,
  Box,
  Boxes,
  BrainCircuit,
  Cable,
  ChartColumn,
  CircleCheck,
  Database,
  File,
  FileCheck,
  FileCode,
  Folder,
  FolderTree,
  Gauge,
  Globe,
  type IconNode,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  Package,
  Plug,
  RadioTower,
  Ruler,
  Server,
  Sheet,
  Shield,
  SquareFunction,
  Table2,
  Tag,
  Tags,
  TextSearch,
  User,
  Users,
  Workflow,
} from 'lucide';

/**
 * How kinds look: an icon each, and a hue for each family of kinds. The word for the kind always stands beside them, so that
 * nobody has to tell colours or icons apart.
 */

export const FAMILIES = ['data', 'stream', 'storage', 'process', 'insight', 'model', 'interface', 'meaning'] as const;
export type Family = (typeof FAMILIES)[number];

export type KindLooks = { readonly family: Family; readonly icon: IconNode };

const of = (family: Family, icon: IconNode): KindLooks => ({ family, icon });

const LOOKS: ReadonlyMap<string, KindLooks> = new Map([
  ['table', of('data', Table2)],
  ['database', of('data', Database)],
  ['databaseSchema', of('data', FolderTree)],
  ['databaseService', of('data', Server)],
  ['topic', of('stream', RadioTower)],
  ['messagingService', of('stream', Server)],
  ['container', of('storage', Archive)],
  ['storageService', of('storage', Server)],
  ['directory', of('storage', Folder)],
  ['file', of('storage', File)],
  ['worksheet', of('storage', Sheet)],
  ['driveService', of('storage', Server)],
  ['pipeline', of('process', Workflow)],
  ['ingestionPipeline', of('process', Workflow)],
  ['pipelineService', of('process', Server)],
  ['storedProcedure', of('process', SquareFunction)],
  ['query', of('process', FileCode)],
  ['dashboard', of('insight', LayoutDashboard)],
  ['chart', of('insight', ChartColumn)],
  ['metric', of('insight', Gauge)],
  ['dashboardDataModel', of('insight', Boxes)],
  ['dashboardService', of('insight', Server)],
  ['mlmodel', of('model', BrainCircuit)],
  ['mlmodelService', of('model', Server)],
  ['apiEndpoint', of('interface', Plug)],
  ['apiCollection', of('interface', Cable)],
  ['apiService', of('interface', Server)],
  ['searchIndex', of('interface', TextSearch)],
  ['searchService', of('interface', Server)],
  ['domain', of('meaning', Globe)],
  ['dataProduct', of('meaning', Package)],
  ['glossary', of('meaning', BookOpen)],
  ['glossaryTerm', of('meaning', BookOpen)],
  ['classification', of('meaning', Tags)],
  ['tag', of('meaning', Tag)],
  ['dataContract', of('meaning', FileCheck)],
  ['testCase', of('meaning', CircleCheck)],
  ['testSuite', of('meaning', ListChecks)],
  ['testDefinition', of('meaning', Ruler)],
  ['type', of('meaning', FileCode)],
  ['eventsubscription', of('meaning', Bell)],
  ['policy', of('meaning', Shield)],
  ['role', of('meaning', KeyRound)],
  ['user', of('meaning', User)],
  ['team', of('meaning', Users)],
  ['bot', of('meaning', Bot)],
]);

/** A kind that a later version of the API adds. */
const UNKNOWN = of('meaning', Box);

export const looksOf = (type: string): KindLooks => LOOKS.get(type) ?? UNKNOWN;
