module Mail (Address (..), Mail (..), inbox, reports, describe) where

data Address = Address { domain :: !Int, user :: !Int }
  deriving (Eq, Ord)

data Mail = Mail { from :: !Address, weight :: !Int }

address :: Int -> Address
address k = Address (k * 31 `mod` 97) (k * 7919 `mod` 100003)

inbox :: Int -> [Mail]
inbox n = [ Mail (address (k * 3)) (k `mod` 50) | k <- [1 .. n] ]

reports :: Int -> [Address]
reports n = [ address (k * 5) | k <- [1 .. n] ]

describe :: Mail -> String
describe m = "u" ++ show (user (from m)) ++ "@d" ++ show (domain (from m))
  ++ ".example (" ++ show (weight m) ++ " kB)"
