// Lists live contracts that expect the given tests and whose newest result waits for test results.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:EXPECTS]-(contract:LiveDataContract)
WHERE contract.isWaiting
RETURN DISTINCT contract.id AS id
