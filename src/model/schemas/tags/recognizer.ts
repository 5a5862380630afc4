import * as v from 'valibot';
import { isEntityLink } from '../../language/entity-link.ts';
import {
  Flag,
  Fraction,
  FreeForm,
  listOf,
  Markdown,
  must,
  Num,
  oneOf,
  PlainName,
  Ref,
  shape,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';

/**
 * The schema of recognizers, which find the data that a tag describes. This program does not run them; it stores the
 * settings for the programs that do, and validates that they can read them.
 */

const CONFLICT_RESOLUTIONS = ['highest_confidence', 'highest_priority', 'most_specific'] as const;

/** How programs apply the tags of a classification automatically. */
export const AutoClassificationConfig = shape('AutoClassificationConfig', {
  enabled: Flag,
  conflictResolution: oneOf(CONFLICT_RESOLUTIONS),
  minimumConfidence: Fraction,
  requireExplicitMatch: Flag,
});

const splitWords = (text: string): readonly string[] => text.trim().split(/\s+/);

const LANGUAGES =
  splitWords(`any af sq am ar hy az eu be bn bs bg ca zh hr cs da nl en et fi fr gl ka de el gu ht he hi hu is
  id ga it ja kn kk km ko ku ky lo lv lt mk ms ml mt mi mr mn my ne no ps fa pl pt pa ro ru sr si sk sl so es sw sv tl
  ta te th tr uk ur uz vi cy yi zu`);

/** Recognizers built into those programs, without the suffix that all their names share. */
const PREDEFINED_RECOGNIZERS =
  splitWords(`AbaRouting CreditCard Crypto Date Email Iban Ip Nhs MedicalLicense Phone SgFin Url UsBank UsItin
  UsLicense UsPassport UsSsn EsNif Spacy Stanza AuAbn AuAcn AuTfn AuMedicare Transformers ItDriverLicense ItFiscalCode
  ItVatCode ItIdentityCard ItPassport InPan GLiNER PlPesel AzureAILanguage InAadhaar InVehicleRegistration SgUen InVoter
  InPassport FiPersonalIdentityCode EsNie UkNino`).map((name) => `${name}Recognizer`);

const PERSONAL_DATA = splitWords(`CREDIT_CARD CRYPTO DATE_TIME EMAIL_ADDRESS IBAN_CODE IP_ADDRESS NRP LOCATION PERSON
  PHONE_NUMBER MEDICAL_LICENSE URL US_BANK_NUMBER US_DRIVER_LICENSE US_ITIN US_PASSPORT US_SSN UK_NHS ES_NIF ES_NIE
  IT_FISCAL_CODE IT_DRIVER_LICENSE IT_VAT_CODE IT_PASSPORT IT_IDENTITY_CARD PL_PESEL SG_NRIC_FIN SG_UEN AU_ABN AU_ACN
  AU_TFN AU_MEDICARE IN_PAN IN_AADHAAR IN_VEHICLE_REGISTRATION IN_VOTER IN_PASSPORT FI_PERSONAL_IDENTITY_CODE`);

const Language = oneOf(LANGUAGES);
const TextList = listOf(Text);
const nonEmptyTexts = () => v.pipe(listOf(Text), v.minLength(1, 'must have at least one item'));

const RegexFlags = shape('RegexFlags', { dotAll: Flag, multiline: Flag, ignoreCase: Flag });
const RecognizerPattern = shape('RecognizerPattern', { name: must(Text), regex: must(Text), score: Fraction });

/** The members of a recognizer, by its type. */
const RECOGNIZER_CONFIGS = {
  pattern: {
    patterns: listOf(RecognizerPattern),
    regexFlags: RegexFlags,
    context: v.optional(TextList),
    supportedLanguage: Language,
  },
  exact_terms: { exactTerms: nonEmptyTexts(), regexFlags: RegexFlags, supportedLanguage: Language },
  context: {
    contextWords: nonEmptyTexts(),
    supportedLanguage: Language,
    minScore: v.optional(Fraction),
    maxScore: v.optional(Fraction),
    increaseFactorByCharLength: v.optional(Num),
  },
  custom: { validatorFunction: Text, config: v.optional(FreeForm), supportedLanguage: Language },
  predefined: {
    name: oneOf(PREDEFINED_RECOGNIZERS),
    supportedLanguage: v.optional(Language),
    context: v.optional(TextList),
    supportedEntities: v.optional(listOf(oneOf(PERSONAL_DATA))),
  },
} as const;

const recognizerConfig = <const T extends string, M extends v.ObjectEntries>(type: T, members: M) =>
  v.strictObject({ type: v.literal(type), ...members });

const RecognizerConfig = v.variant(
  'type',
  [
    recognizerConfig('pattern', RECOGNIZER_CONFIGS.pattern),
    recognizerConfig('exact_terms', RECOGNIZER_CONFIGS.exact_terms),
    recognizerConfig('context', RECOGNIZER_CONFIGS.context),
    recognizerConfig('custom', RECOGNIZER_CONFIGS.custom),
    recognizerConfig('predefined', RECOGNIZER_CONFIGS.predefined),
  ],
  `must be of one of the types ${Object.keys(RECOGNIZER_CONFIGS).join(', ')}`,
);

const RecognizerException = shape('RecognizerException', {
  entityLink: must(v.pipe(Text, v.check(isEntityLink, 'must be an entity link'))),
  reason: Text,
  addedBy: Ref,
  addedAt: Timestamp,
  feedbackId: Uuid,
});

const VersionNumber = v.pipe(
  Num,
  v.minValue(0.1, 'must be at least 0.1'),
  v.check((version) => Number(version.toFixed(1)) === version, 'must have one decimal'),
);

export const Recognizer = shape('Recognizer', {
  id: Uuid,
  name: must(PlainName),
  displayName: Text,
  description: Markdown,
  enabled: Flag,
  isSystemDefault: Flag,
  recognizerConfig: must(RecognizerConfig),
  confidenceThreshold: Fraction,
  exceptionList: listOf(RecognizerException),
  version: VersionNumber,
  updatedAt: Timestamp,
  updatedBy: Text,
  target: oneOf(['content', 'column_name']),
});
