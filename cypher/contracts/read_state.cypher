// Reads the state of a live contract that its results depend on.
MATCH (contract:Entity {id: $id})
WHERE contract:LiveDataContract
RETURN contract.id AS id, contract.fullyQualifiedName AS fullyQualifiedName, contract.revision AS revision,
  contract.latestResultJson AS latestJson,
  coalesce(contract.resultSeries, contract.id) AS series
