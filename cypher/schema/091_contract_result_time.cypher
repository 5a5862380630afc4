// The results of a contract are read by time, the newest first.
CREATE INDEX contract_result_time IF NOT EXISTS FOR (result:ContractResult) ON (result.contractId, result.timestamp)
