// The outcomes of all contracts are read by time, from the index alone.
CREATE INDEX contract_result_outcome IF NOT EXISTS FOR (result:ContractResult) ON (result.timestamp, result.contractId, result.status)
