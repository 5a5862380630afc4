// Lists the living contracts of records, each with its latest result.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_CONTRACT]->(contract:LiveDataContract)
RETURN id,
  contract{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, latestJson: contract.latestResultJson} AS contract
