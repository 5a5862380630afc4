// Answers a living contract as far as its results are concerned.
MATCH (contract:Entity {id: $id})
WHERE contract:LiveDataContract
RETURN contract.id AS id, contract.fullyQualifiedName AS fullyQualifiedName, contract.revision AS revision,
  contract.latestResultJson AS latestJson,
  coalesce(contract.resultSeries, contract.id) AS series
