module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.List (foldl')
import qualified Data.Map.Strict as Map

data Login = Login
  { user :: !B.ByteString
  , hour :: !Int
  }

login :: B.ByteString -> Login
login request = Login name (B.length request `mod` 24)
  where
    name = B.copy (B.takeWhile (/= '&') (B.drop 5 request))
{-# NOINLINE login #-}

request :: Int -> B.ByteString
request k = B.concat [B.pack "user=", B.pack (show k), B.pack "&body=", B.replicate 4000 'x']
{-# NOINLINE request #-}

add :: Map.Map Int Login -> Int -> Map.Map Int Login
add logins k = Map.insert k (login (request k)) logins

main :: IO ()
main = print (sum (map (B.length . user) (Map.elems logins)), sum (map hour (Map.elems logins)))
  where
    logins = foldl' add Map.empty [1 .. 3000]
