module Census (Census (..), census) where

import Data.List (foldl')
import qualified Data.Map.Strict as Map

import Primes

data Census = Census
  { byCount    :: !(Map.Map Int Int)
  , squareFree :: !Int
  , largest    :: !Int
  }

-- | Factorise all the numbers and count what turns up.
census :: [Int] -> Census
census = foldl' add (Census Map.empty 0 0)
  where
    add (Census m s l) n =
      let fs = factorise n
          free = and (zipWith (/=) fs (drop 1 fs))
      in Census
           (Map.insertWith (+) (length fs) 1 m)
           (if free then s + 1 else s)
           (max l (maximum (0 : init fs)))
