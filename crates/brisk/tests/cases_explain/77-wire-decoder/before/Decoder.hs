module Decoder
  ( Decoder
  , byte
  , failWith
  , word16
  , listOf
  , runDecoder
  ) where

import Control.Monad (ap, liftM, replicateM)
import qualified Data.ByteString as B
import Data.Word (Word8)

-- | A decoder that can be fed piecemeal: it has ended, has failed, or wants
-- the next byte.
data Decoder a
  = Done a
  | Failed String
  | Want (Word8 -> Decoder a)

instance Functor Decoder where
  fmap = liftM

instance Applicative Decoder where
  pure = Done
  (<*>) = ap

instance Monad Decoder where
  Done x     >>= k = k x
  Failed err >>= _ = Failed err
  Want next  >>= k = Want (\w -> next w >>= k)

byte :: Decoder Word8
byte = Want Done

failWith :: String -> Decoder a
failWith = Failed

word16 :: Decoder Int
word16 = do
  hi <- byte
  lo <- byte
  return (fromIntegral hi * 256 + fromIntegral lo)

-- | A list with its length in front.
listOf :: Decoder a -> Decoder [a]
listOf item = do
  n <- word16
  replicateM n item

-- | Feeds chunks to a decoder; gives the result and the number of bytes taken.
runDecoder :: Decoder a -> [B.ByteString] -> Either String (a, Int)
runDecoder = go 0
  where
    go taken (Done x) _ = Right (x, taken)
    go _ (Failed err) _ = Left err
    go taken (Want _) [] = Left ("end of input after " ++ show (taken :: Int) ++ " bytes")
    go taken d@(Want next) (c : cs) = case B.uncons c of
      Nothing        -> go taken d cs
      Just (w, rest) -> (go $! taken + 1) (next w) (rest : cs)
