{-# LANGUAGE ForeignFunctionInterface #-}

-- | What the vector registers hold beside a number.
--
-- A Double takes half of such a register. GHC copies one from register to
-- register by @movsd@, which keeps the other half of the target; so the copy
-- waits for whatever was in the target before. Some processors know that a
-- half is zero, and do not wait. On these, code of GHC's takes up to three
-- times as long once anything has left bits in the other halves, and until
-- something clears them.
module Registers
  ( Bits (..)
  , setAll
  ) where

import Control.Monad (when)
import Foreign.C.Types (CInt (..))

foreign import ccall unsafe "registers.h registers_fill"
  c_fill :: IO CInt

foreign import ccall unsafe "registers.h registers_clear"
  c_clear :: IO CInt

data Bits = Ones | Zeros
  deriving (Eq, Show)

-- | Fails where it is not known how.
setAll :: Bits -> IO ()
setAll bits = do
  status <- if bits == Ones then c_fill else c_clear
  when (status /= 0) (ioError (userError "the registers of this processor are not known"))
