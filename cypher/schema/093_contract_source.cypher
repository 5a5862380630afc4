// A contract was read from one document at most.
CREATE CONSTRAINT contract_source IF NOT EXISTS FOR (source:ContractSource) REQUIRE source.contractId IS UNIQUE
