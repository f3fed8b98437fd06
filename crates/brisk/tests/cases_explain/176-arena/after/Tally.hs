module Tally (Tally(..), hit, miss, defeat, summary) where

data Tally = Tally
  { hits    :: !Int
  , misses  :: !Int
  , damage  :: !Int
  , defeats :: !Int
  , hardest :: !Int
  }

instance Semigroup Tally where
  Tally h m d k x <> Tally h' m' d' k' x' =
    Tally (h + h') (m + m') (d + d') (k + k') (max x x')

instance Monoid Tally where
  mempty = Tally 0 0 0 0 0

hit :: Int -> Tally
hit d = mempty { hits = 1, damage = d, hardest = d }

miss :: Tally
miss = mempty { misses = 1 }

defeat :: Tally
defeat = mempty { defeats = 1 }

summary :: Tally -> [String]
summary t =
  [ "hits     " ++ show (hits t)
  , "misses   " ++ show (misses t)
  , "damage   " ++ show (damage t)
  , "hardest  " ++ show (hardest t)
  , "defeats  " ++ show (defeats t)
  ]
