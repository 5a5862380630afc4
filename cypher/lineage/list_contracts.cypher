// Lists the living contracts of records, each with its latest result, and with its annotations where these deprecate
// something.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_CONTRACT]->(contract:LiveDataContract)
RETURN id,
  contract{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, latestJson: contract.latestResultJson,
    annotationsJson: CASE WHEN contract.odcsAnnotationsJson CONTAINS '"deprecated":true' THEN contract.odcsAnnotationsJson END} AS contract
