// Answers the living contracts that expect tests and whose newest judgement waits for results.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:EXPECTS]-(contract:LiveDataContract)
WHERE contract.isWaiting
RETURN DISTINCT contract.id AS id
