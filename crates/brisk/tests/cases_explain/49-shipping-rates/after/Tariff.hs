module Tariff
  ( Zone
  , Tariff (..)
  , Parcel (..)
  , readTariff
  , price
  ) where

import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe)

type Zone = String

data Tariff = Tariff
  { zones     :: Map.Map String Zone  -- ^ postcode prefix to zone
  , basePrice :: [(Zone, Int)]
  , perKilo   :: Int
  , surcharge :: Int -> Int
  }

data Parcel = Parcel
  { postcode :: String
  , grams    :: Int
  , express  :: Bool
  }

-- | Reads lines such as "zone 431 B", "base B 590" and "kilo 75".
readTariff :: String -> Tariff
readTariff = foldr entry (Tariff Map.empty [] 0 (const 0)) . map words . lines
  where
    entry ["zone", p, z] t = t { zones = Map.insert p z (zones t) }
    entry ["base", z, c] t = t { basePrice = (z, read c) : basePrice t }
    entry ["kilo", c]    t = t { perKilo = read c }
    entry ["heavy", g, c] t = t { surcharge = \w -> if w > read g then read c else 0 }
    entry _              t = t

-- | The price in cents; Nothing for a place that isn't served.
price :: Tariff -> Parcel -> Maybe Int
price tariff parcel = do
  zone <- Map.lookup (take 3 (postcode parcel)) (zones tariff)
  base <- lookup zone (basePrice tariff)
  let weight = grams parcel
      kilos = (weight + 999) `div` 1000
      normal = base + kilos * perKilo tariff + surcharge tariff weight
  pure (if express parcel then normal * 3 `div` 2 + handling zone else normal)
  where
    handling z = fromMaybe 0 (lookup z [("C", 250), ("D", 400)])
